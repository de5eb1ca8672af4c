//! Engines: algorithms of others, as docs/engines.md has them, attached before any algorithm is looked for.
//!
//! A description file says what an algorithm is and which program computes it. The program runs as a child process and is spoken to over
//! pipes: whatever it does wrong is FT_ELIBRARY with its name in ft_error_detail(), and ends it; the next call starts it anew. Each call waits for it
//! as long as the description says, 10 seconds where it says nothing. A process that forks has engines of its own, from its first call on; who
//! forks while another thread is in a call may only exec then, as POSIX has it. The process gets a SIGCHLD when an engine ends; nothing
//! depends on its handler, nor on that of SIGPIPE.
//!
//! The variable FIELDTEST_ENGINES names descriptions and directories of them with colons between. It is read when the first algorithm is
//! looked for, and not by programs with more rights than their user. A shared object is loaded into a process of the program `fieldtest`, from the search
//! path, and only where FT_ENGINE_LIBRARIES, or the variable FIELDTEST_ENGINE_LIBRARIES with the value "yes", allows it.

use std::env;
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fieldtest_catalog::{self as catalog, AttachError, ENGINE_LIBRARIES, ENGINES};

use crate::error::{FT_EARGUMENT, FT_EENGINE, FT_ELATE, FT_EUNKNOWN, Failure, call};
use crate::memory::text;

/// A flag of ft_engine_attach(): shared objects may be attached as well.
pub const FT_ENGINE_LIBRARIES: c_int = 1;

/// What serves shared objects.
const SERVER: &str = "fieldtest";

/// Why what the environment names could not be attached, where it could not.
static REFUSED: OnceLock<String> = OnceLock::new();

/// Attaches the algorithms that a description file, or every file .toml of a directory, describes. Nothing is started yet. To be called before any
/// other function but those of errors and the version; flags are 0 or FT_ENGINE_LIBRARIES.
///
/// Returns FT_EENGINE where a description is of no use or what it claims is taken, and FT_ELATE where an algorithm was looked for already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_engine_attach(path: *const c_char, flags: c_int) -> c_int {
    call(|| {
        // SAFETY: a text, as this function asks for.
        let path = unsafe { text(path) }?;
        if !matches!(flags, 0 | FT_ENGINE_LIBRARIES) {
            return Err(Failure::new(FT_EARGUMENT, format!("invalid flags {flags}")));
        }
        attach(&[PathBuf::from(path)], flags == FT_ENGINE_LIBRARIES).map_err(|error| {
            let code = if matches!(error, AttachError::TooLate) { FT_ELATE } else { FT_EENGINE };
            Failure::new(code, error.to_string())
        })
    })
}

fn attach(paths: &[PathBuf], libraries: bool) -> Result<(), AttachError> {
    catalog::attach(paths, libraries.then_some(Path::new(SERVER)))
}

/// Attaches what the environment names, before the catalog is built.
pub(crate) fn attach_of_environment() {
    // Where the variable counted, whoever starts a set-user-ID program could choose code for it.
    // SAFETY: it takes any number.
    let has_more_rights = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    let Some(told) = env::var_os(ENGINES).filter(|_| !has_more_rights) else { return };
    let told: Vec<PathBuf> = env::split_paths(&told).filter(|path| !path.as_os_str().is_empty()).collect();
    let libraries = env::var_os(ENGINE_LIBRARIES).is_some_and(|it| it == "yes");
    if let Err(error) = attach(&told, libraries) {
        let _ = REFUSED.set(format!("{ENGINES}: {error}"));
    }
}

/// The error for what is not in the catalog, which may be missing since an engine could not be attached.
pub(crate) fn missing(what: String) -> Failure {
    match REFUSED.get() {
        Some(refused) => Failure::new(FT_EENGINE, format!("{what}; {refused}")),
        None => Failure::new(FT_EUNKNOWN, what),
    }
}
