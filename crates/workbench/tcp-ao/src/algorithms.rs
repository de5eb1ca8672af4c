//! The catalog's MACs by the names that keys have for them.

use std::sync::Arc;

use anyhow::Result;
use fieldtest_catalog::{Wanted, mac};
use fieldtest_kinds::mac::Mac;

use crate::outcome::usage;

/// Finds an algorithm by its name, and the bytes of its usual MAC.
pub(crate) fn resolve(name: &str, implementation: Option<&str>) -> Result<(Arc<dyn Mac>, usize)> {
    let algorithm = mac::find(name).map_err(usage)?;
    if algorithm.facts.kind.is_tcp_md5() {
        return Err(usage(format!("{name} is not a MAC for TCP-AO; `fieldtest list mac` shows all")));
    }
    let implementation = algorithm.served(Wanted::preferred(implementation)).map_err(usage)?;
    Ok((Arc::clone(&implementation.code), algorithm.facts.kind.tag))
}
