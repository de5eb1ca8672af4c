//! Starting an engine so that it ends with this program, however that ends.

// `CommandExt::pre_exec` is unsafe to call, and there is no other way between fork and exec.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};

type Job = (Command, SyncSender<io::Result<Child>>);

/// Starts a program in a process group of its own, so that Ctrl-C is for whoever asks, and so that what it starts ends with it. Linux
/// kills it when this process ends.
pub(crate) fn spawn(command: Command) -> io::Result<Child> {
    // By prctl(2) a child ends with the *thread* that started it: one that lives as long as the process starts them all.
    static JOBS: Mutex<Option<(Pid, Sender<Job>)>> = Mutex::new(None);
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    // No thread is left to a process that was forked.
    let (_, jobs) = match jobs.take_if(|(whose, _)| *whose != getpid()) {
        Some((_, gone)) => {
            // Its queue belongs to a thread that may have held it.
            std::mem::forget(gone);
            jobs.insert((getpid(), starter()))
        }
        None => jobs.get_or_insert_with(|| (getpid(), starter())),
    };
    let (back, child) = mpsc::sync_channel(1);
    let gone = || io::Error::other("the thread that starts programs has ended");
    jobs.send((command, back)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

/// A thread that starts what it is sent.
fn starter() -> Sender<Job> {
    let (sender, jobs) = mpsc::channel::<Job>();
    std::thread::spawn(move || {
        for (command, back) in jobs {
            let _ = back.send(tied(command));
        }
    });
    sender
}

/// Keeps from a program what else this process has open: whoever uses libfieldtest may be a server whose sockets are for no engine, and
/// could not be bound again as long as one has them.
pub(crate) fn without_files(command: &mut Command) {
    const FIRST: libc::c_uint = 3;
    // SAFETY: between fork and exec a single system call is made. Systems before Linux 5.11 do not know it, and change nothing.
    unsafe {
        command.pre_exec(|| {
            libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            Ok(())
        });
    }
}

fn tied(mut command: Command) -> io::Result<Child> {
    let own: Pid = getpid();
    command.process_group(0);
    without_files(&mut command);
    // SAFETY: between fork and exec only prctl(2) and getppid(2) are called, which are async-signal-safe and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // It may have ended before the line above.
            if getppid() == Some(own) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        });
    }
    command.spawn()
}
