//! The file that a gateway's keys are read from, once at the beginning and again on SIGHUP.
//!
//! A line is a key: `SendID/RecvID:ALGORITHM:HEX`, then what `fieldtest tcp-ao verify --key` takes behind it:
//! `:exclude-options`, `:maclen=N`, and the addresses of the other ends, separated by commas. Empty lines and lines
//! that begin with `#` are left out. Of the keys for one address the first is the one to be used.

use std::path::Path;

use anyhow::Result;
use fieldtest_tcp_ao::verify::KeySpec;
use fieldtest_tcp_ao::{Mkt, MktSet};
use zeroize::Zeroizing;

use super::super::keys::of_file;
use crate::algorithms::resolve;
use crate::outcome::usage;

/// Reads the keys of a gateway. Local is the inner host, remote what is outside.
pub(crate) fn read(path: &Path, implementation: Option<&str>) -> Result<MktSet> {
    let mut set = MktSet::new();
    of_file(path, |_, line| {
        for mkt in parse(line, implementation)? {
            set.add(mkt).map_err(usage)?;
        }
        Ok(())
    })?;
    if set.iter().next().is_none() {
        return Err(usage(format!(
            "{} has no key; expected lines SendID/RecvID:ALGORITHM:HEX[:ADDRESS]",
            path.display()
        )));
    }
    Ok(set)
}

/// The tuples of one line: one for each address.
fn parse(line: &str, implementation: Option<&str>) -> Result<Vec<Mkt>> {
    let ids = line.split_once(':').and_then(|(ids, rest)| Some((ids.split_once('/')?, rest)));
    let Some(((send, receive), rest)) = ids else {
        return Err(usage(
            "a key begins with its two identifiers, such as 61/84:hmac-sha1-96:… (what this end sends, what it receives); \
             'fieldtest tcp-ao keys --for gateway' writes such keys",
        ));
    };
    let receive: u8 =
        receive.parse().map_err(|_| usage(format!("invalid KeyID '{receive}': expected 0 to 255")))?;
    let spec: KeySpec = Zeroizing::new(format!("{send}:{rest}")).parse().map_err(usage)?;
    let (mac, usual) = resolve(&spec.algorithm, implementation)?;
    let mkt = Mkt::new(spec.id, receive, &spec.master_key, mac, spec.mac_len.unwrap_or(usual))
        .map_err(usage)?
        .with_coverage(spec.coverage);
    if spec.prefixes.is_empty() {
        return Ok(vec![mkt]);
    }
    Ok(spec.prefixes.into_iter().map(|prefix| mkt.clone().with_remote(prefix)).collect())
}
