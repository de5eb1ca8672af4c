//! What is asked of an engine before anybody has an answer of it: its proof, once. Also in libfieldtest and
//! in name servers: there, nobody runs `prove`, and a wrong answer is a wrong zone.

use std::cell::Cell;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long one that failed is not asked again: a board may come back, and nobody is to wait for each of its deadlines.
const AGAIN: Duration = Duration::from_secs(60);

/// What puts it to the proof; why it fails.
type Judge = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Lets requests through once the proof was made.
#[derive(Default)]
pub(crate) struct Gate {
    judge: OnceLock<Judge>,
    open: AtomicBool,
    /// Why it failed, and when. It is held while the proof is made.
    failed: Mutex<Option<(String, Instant)>>,
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("open", &self.open).finish_non_exhaustive()
    }
}

static TRUSTED: AtomicBool = AtomicBool::new(false);

/// Has no engine of this process put to the proof, as whoever started it has done that.
pub fn trust() {
    TRUSTED.store(true, Ordering::Relaxed);
}

thread_local! {
    /// Whether this thread makes a proof, whose requests are let through.
    static PROVES: Cell<bool> = const { Cell::new(false) };
}

impl Gate {
    /// Who is asked before the first request; without a judge all are let through. The first call counts.
    pub(crate) fn judge_by(&self, judge: Judge) {
        let _ = self.judge.set(judge);
    }

    /// Whether a request may go on.
    pub(crate) fn pass(&self) -> Result<(), String> {
        let is_open = || self.open.load(Ordering::Acquire);
        if is_open() || TRUSTED.load(Ordering::Relaxed) || PROVES.get() {
            return Ok(());
        }
        let Some(judge) = self.judge.get() else { return Ok(()) };
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have made it meanwhile.
        if is_open() {
            return Ok(());
        }
        match &*failed {
            Some((why, since)) if since.elapsed() < AGAIN => Err(why.clone()),
            _ => self.settle(&mut failed, within(judge)),
        }
    }

    /// Makes a proof, whose outcome holds for all requests from then on.
    pub(crate) fn prove<T, E: Display>(&self, proof: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = within(proof);
        let _ = self.settle(&mut failed, outcome.as_ref().map(drop).map_err(ToString::to_string));
        outcome
    }

    fn settle(
        &self,
        failed: &mut Option<(String, Instant)>,
        outcome: Result<(), String>,
    ) -> Result<(), String> {
        self.open.store(outcome.is_ok(), Ordering::Release);
        *failed = outcome.as_ref().err().map(|why| (why.clone(), Instant::now()));
        outcome
    }
}

fn within<T>(proof: impl FnOnce() -> T) -> T {
    /// Also where the proof panics.
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            PROVES.set(false);
        }
    }
    PROVES.set(true);
    let _over = Over;
    proof()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_proof_is_made_once_and_its_own_requests_go_through() {
        let (gate, made) = (Arc::new(Gate::default()), Arc::new(AtomicUsize::new(0)));
        assert_eq!(gate.pass(), Ok(()), "nobody judges");
        let (own, counted) = (Arc::clone(&gate), Arc::clone(&made));
        gate.judge_by(Box::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            own.pass()
        }));
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| assert_eq!(gate.pass(), Ok(())))))
        });
        assert_eq!((gate.pass(), made.load(Ordering::Relaxed)), (Ok(()), 1));
    }

    #[test]
    fn what_failed_is_refused_until_it_is_proven() {
        let (gate, made) = (Gate::default(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&made);
        gate.judge_by(Box::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Err("it lies".to_owned())
        }));
        let refused = Err("it lies".to_owned());
        assert_eq!((gate.pass(), gate.pass(), made.load(Ordering::Relaxed)), (refused.clone(), refused, 1));
        assert_eq!(gate.prove(|| Ok::<_, String>(7)), Ok(7));
        assert_eq!(gate.pass(), Ok(()));
        assert_eq!(gate.prove(|| Err::<(), _>("it lies again")), Err("it lies again"));
        assert_eq!(gate.pass(), Err("it lies again".to_owned()));
    }
}
