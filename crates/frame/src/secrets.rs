//! What a command does before it holds a passphrase, a volume key or a private key.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// From here on a crash leaves no core file, and other processes of the same user can neither read this one's memory
/// nor attach to it (prctl(2), `PR_SET_DUMPABLE`; core(5)).
///
/// Both ways, since either may be closed: the limit does not hold for cores that are piped to a program, and the other
/// is unknown to some sandboxes. Where both fail there is nothing that a command could do but refuse to work, so
/// nothing is said.
pub fn no_core_dumps() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
