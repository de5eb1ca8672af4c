//! Work on all cores whose results come out in the order in which it went in, in bounded memory.
//!
//! Of what waits, the heaviest by its priority is taken first, so that no core is left alone with a large file at the
//! end; but no item goes in while the oldest one without a result is more than a budget behind. A priority therefore
//! shifts work only within that window.

use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

pub(crate) struct Limits {
    /// Threads that work; the source has one of its own, and results are delivered on the caller's.
    pub threads: NonZeroUsize,
    /// The weight of all items that went in and were not delivered yet. A single heavier item is let in alone.
    pub budget: u64,
}

pub(crate) struct Item<T> {
    /// What a worker is given.
    pub content: T,
    /// What it takes of the budget.
    pub weight: u64,
    /// Which of the waiting goes first: the highest.
    pub priority: u64,
}

struct Waiting<T> {
    item: Item<T>,
    number: u64,
}

impl<T> Waiting<T> {
    fn key(&self) -> (u64, std::cmp::Reverse<u64>) {
        (self.item.priority, std::cmp::Reverse(self.number))
    }
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for Waiting<T> {}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

struct State<T, R> {
    waiting: BinaryHeap<Waiting<T>>,
    done: BTreeMap<u64, (T, u64, R)>,
    went_in: u64,
    came_out: u64,
    weight: u64,
    /// Nothing goes in any more.
    closed: bool,
    /// Nobody waits for results any more.
    stopped: bool,
}

struct Shared<T, R> {
    state: Mutex<State<T, R>>,
    work: Condvar,
    room: Condvar,
    result: Condvar,
}

impl<T, R> Shared<T, R> {
    fn lock(&self) -> MutexGuard<'_, State<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, on: &Condvar, state: MutexGuard<'a, State<T, R>>) -> MutexGuard<'a, State<T, R>> {
        on.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, end: impl FnOnce(&mut State<T, R>)) {
        end(&mut self.lock());
        self.work.notify_all();
        self.room.notify_all();
        self.result.notify_all();
    }
}

/// Ends everything when a thread panics, so that the panic is passed on and nobody waits for that thread.
struct EndOnPanic<'a, T, R>(&'a Shared<T, R>);

impl<T, R> Drop for EndOnPanic<'_, T, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(|state| state.stopped = true);
        }
    }
}

/// Where a source puts its items.
pub(crate) struct Feed<'a, T, R> {
    shared: &'a Shared<T, R>,
    budget: u64,
}

impl<T, R> Feed<'_, T, R> {
    /// Waits until the budget has room. False when the source is to end, because nothing is wanted any more.
    pub(crate) fn push(&self, item: Item<T>) -> bool {
        let mut state = self.shared.lock();
        while !state.stopped && state.weight > 0 && state.weight.saturating_add(item.weight) > self.budget {
            state = self.shared.wait(&self.shared.room, state);
        }
        if state.stopped {
            return false;
        }
        let number = state.went_in;
        state.went_in += 1;
        state.weight += item.weight;
        state.waiting.push(Waiting { item, number });
        drop(state);
        self.shared.work.notify_one();
        true
    }
}

/// The system starts not even one thread beside this one.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread: {0}; raise the limits of memory and threads (ulimit -v, -u)")]
pub struct NoThread(io::Error);

/// Runs `source` on a thread, `work` on as many as the limits say, each with a value of its own from `start`, and
/// `deliver` here, once for each item in the order in which the source pushed them.
///
/// # Errors
/// The first of `deliver`, which ends all; else that of `source`, after everything before it was delivered. [`NoThread`].
pub(crate) fn run<T: Send, R: Send, L, E: Send + From<NoThread>>(
    limits: &Limits,
    source: impl FnOnce(&Feed<'_, T, R>) -> Result<(), E> + Send,
    start: impl Fn() -> L + Sync,
    work: impl Fn(&mut L, &mut T) -> R + Sync,
    mut deliver: impl FnMut(T, R) -> Result<(), E>,
) -> Result<(), E> {
    let state = State {
        waiting: BinaryHeap::new(),
        done: BTreeMap::new(),
        went_in: 0,
        came_out: 0,
        weight: 0,
        closed: false,
        stopped: false,
    };
    let shared = Shared {
        state: Mutex::new(state),
        work: Condvar::new(),
        room: Condvar::new(),
        result: Condvar::new(),
    };
    thread::scope(|scope| {
        let shared = &shared;
        let start_source = move || {
            let _guard = EndOnPanic(shared);
            let done = source(&Feed { shared, budget: limits.budget });
            shared.end(|state| state.closed = true);
            done
        };
        let source = thread::Builder::new().spawn_scoped(scope, start_source).map_err(NoThread)?;
        for number in 0..limits.threads.get() {
            let started = thread::Builder::new().spawn_scoped(scope, || {
                let _guard = EndOnPanic(shared);
                let mut local = start();
                while let Some(Waiting { item, number }) = next(shared) {
                    let Item { mut content, weight, .. } = item;
                    let result = work(&mut local, &mut content);
                    let mut state = shared.lock();
                    state.done.insert(number, (content, weight, result));
                    let awaited = number == state.came_out;
                    drop(state);
                    if awaited {
                        shared.result.notify_one();
                    }
                }
            });
            match started {
                Ok(_) => {}
                Err(error) if number == 0 => {
                    shared.end(|state| state.stopped = true);
                    return Err(NoThread(error).into());
                }
                // Those that are there do it.
                Err(_) => break,
            }
        }
        let _guard = EndOnPanic(shared);
        let delivered = deliver_in_order(shared, &mut deliver);
        shared.end(|state| state.stopped = true);
        let source = source.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        delivered.and(source)
    })
}

/// What a worker does next; nothing at the end.
fn next<T, R>(shared: &Shared<T, R>) -> Option<Waiting<T>> {
    let mut state = shared.lock();
    loop {
        if state.stopped {
            return None;
        }
        if let Some(waiting) = state.waiting.pop() {
            return Some(waiting);
        }
        if state.closed {
            return None;
        }
        state = shared.wait(&shared.work, state);
    }
}

fn deliver_in_order<T, R, E>(
    shared: &Shared<T, R>,
    deliver: &mut impl FnMut(T, R) -> Result<(), E>,
) -> Result<(), E> {
    let mut ready = Vec::new();
    let mut state = shared.lock();
    loop {
        loop {
            let next = state.came_out;
            let Some(done) = state.done.remove(&next) else { break };
            ready.push(done);
            state.came_out += 1;
        }
        if ready.is_empty() {
            if state.stopped || (state.closed && state.came_out == state.went_in) {
                return Ok(());
            }
            state = shared.wait(&shared.result, state);
            continue;
        }
        drop(state);
        let mut freed = 0;
        for (content, weight, result) in ready.drain(..) {
            freed += weight;
            deliver(content, result)?;
        }
        state = shared.lock();
        state.weight -= freed;
        shared.room.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl From<NoThread> for String {
        fn from(error: NoThread) -> String {
            error.to_string()
        }
    }

    fn limits(threads: usize, budget: u64) -> Limits {
        Limits { threads: NonZeroUsize::new(threads).unwrap(), budget }
    }

    fn feed<R>(feed: &Feed<'_, u64, R>, numbers: impl Iterator<Item = u64>) -> Result<(), String> {
        for content in numbers {
            // Priorities against the order, weights from 1 to 9.
            let item = Item { content, weight: 1 + content % 9, priority: content * 7919 % 101 };
            if !feed.push(item) {
                break;
            }
        }
        Ok(())
    }

    #[test]
    fn results_come_in_order_whatever_the_threads_and_the_budget() {
        for (threads, budget) in [(1, 1), (1, 1000), (4, 3), (7, 40)] {
            let mut out = Vec::new();
            let done = run(
                &limits(threads, budget),
                |into| feed(into, 0..500),
                || (),
                |(), number| *number * 2,
                |number, result| {
                    out.push((number, result));
                    Ok(())
                },
            );
            assert_eq!(done, Ok(()));
            assert!(out.into_iter().eq((0..500).map(|number| (number, number * 2))));
        }
    }

    #[test]
    fn errors_of_both_ends_end_it() {
        let mut seen = 0;
        let delivered = run(
            &limits(2, 5),
            |into| feed(into, 0..),
            || (),
            |(), _| (),
            |number, ()| {
                seen = number;
                if number == 50 { Err("full".to_string()) } else { Ok(()) }
            },
        );
        // The source above would never end by itself.
        assert_eq!((delivered, seen), (Err("full".to_string()), 50));

        let mut count = 0;
        let source = run(
            &limits(2, 5),
            |into| feed(into, 0..20).and(Err("cut".to_string())),
            || (),
            |(), _| (),
            |_, ()| {
                count += 1;
                Ok(())
            },
        );
        assert_eq!((source, count), (Err("cut".to_string()), 20));
    }

    #[test]
    fn a_panic_of_a_worker_is_passed_on() {
        let caught = std::panic::catch_unwind(|| {
            run(
                &limits(2, 5),
                |into| feed(into, 0..100),
                || (),
                |(), number| assert_ne!(*number, 30),
                |_, ()| Ok(()),
            )
        });
        assert!(caught.is_err());
    }
}
