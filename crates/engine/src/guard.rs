//! Who ends an engine and all that it started where this program could not: a shell that waits for the end of a pipe which this program
//! alone holds, so that it sees every end of it, SIGKILL's too.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

use crate::spawn;

/// Watches a process group until it is dropped. Where there is no shell nobody does, and Linux ends the engine itself.
#[derive(Debug)]
pub(crate) struct Guard(Option<Child>);

impl Guard {
    pub(crate) fn over(group: Pid) -> Guard {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read -r end; kill -9 -\"$0\""]).arg(group.as_raw_nonzero().to_string());
        // Its own group: Ctrl-C is not for it.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        spawn::without_files(&mut command);
        Guard(command.spawn().ok())
    }

    /// Closes its pipe here, in a process that was forked, and lets it watch for whoever started it.
    pub(crate) fn leave(mut self) {
        self.0 = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}
