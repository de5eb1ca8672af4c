//! Which implementations are experiments: those whose own authors say so, or say that nobody has looked at them, and that no system
//! is known to ship. What they take tells what can be reached, not what is there to be installed.

use crate::is_attached;

/// Why an implementation is an experiment, with where that is said; `None` for the others.
pub(crate) fn why(implementation: &str) -> Option<&'static str> {
    Some(match implementation {
        "fieldtest" | "fieldtest-portable" => {
            "this project's own: passes the official test vectors, not audited"
        }
        name if is_attached(name) => "attached by the user; not reviewed by this project",
        "fn-dsa" => {
            "its keys and signatures may change until FIPS 206 is final [README of fn-dsa 0.4.0, 2026-07-22]"
        }
        "sqisign-rs" => "not audited [README of sqisign-rs 0.6.1, read 2026-11-24]",
        "hawk512" => "not audited [README of hawk512 0.1.0, read 2026-11-24]",
        "lea" => "not audited [README of lea 0.5.4, read 2026-11-24]",
        "pq-mayo" => {
            "of an unfinished scheme; no audit is mentioned [README of pq-mayo 0.6.0, read 2026-11-24]"
        }
        _ => return None,
    })
}
