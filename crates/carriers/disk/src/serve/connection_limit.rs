//! Who is connected, and who has to go when there are too many.
//!
//! A client that only waits costs little, and one that has a file system mounted may wait for days. So connections are
//! many, and none of those that are in use is ended for having been quiet. When all places are taken, somebody who has
//! never asked for anything makes room, and else somebody who left off in the middle of a message a minute ago.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::listener::Stream;

/// Connections at once. Each has a thread and, while it works, a buffer of 256 KiB.
const MOST: usize = 256;

/// How long a client may stand still within a message before it makes room.
const STALLED: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Activity {
    connected: Instant,
    asked: AtomicBool,
    /// Whether a message has begun and is not complete.
    within: AtomicBool,
    /// Milliseconds from `connected` to the last byte.
    last: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        Activity {
            connected: Instant::now(),
            asked: AtomicBool::new(false),
            within: AtomicBool::new(true),
            last: AtomicU64::new(0),
        }
    }

    /// Bytes came or went.
    pub(super) fn moved(&self) {
        let now = u64::try_from(self.connected.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    pub(super) fn request(&self, begins: bool) {
        self.asked.store(true, Ordering::Relaxed);
        self.within.store(begins, Ordering::Relaxed);
    }

    /// How urgently it should make room; nothing if it should not.
    fn expendable(&self) -> Option<(bool, Duration)> {
        let still =
            self.connected.elapsed().saturating_sub(Duration::from_millis(self.last.load(Ordering::Relaxed)));
        match self.asked.load(Ordering::Relaxed) {
            false => Some((true, still)),
            true if self.within.load(Ordering::Relaxed) && still > STALLED => Some((false, still)),
            true => None,
        }
    }
}

#[derive(Default)]
pub(super) struct Crowd(Mutex<Vec<Member>>);

struct Member {
    stream: Arc<Stream>,
    activity: Arc<Activity>,
}

impl Crowd {
    /// Whether there is room for another one; if there is none, somebody is asked to leave if anybody can be.
    pub(super) fn has_room(&self) -> bool {
        let members = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if members.len() < MOST {
            return true;
        }
        let leaving = members.iter().filter_map(|it| Some((it.activity.expendable()?, &it.stream)));
        if let Some((_, stream)) = leaving.max_by_key(|(expendable, _)| *expendable) {
            // Its thread finds the end of the stream and takes it out.
            let _ = stream.shutdown();
        }
        false
    }

    pub(super) fn enter(&self, stream: &Arc<Stream>) -> Arc<Activity> {
        let activity = Arc::new(Activity::new());
        let member = Member { stream: Arc::clone(stream), activity: Arc::clone(&activity) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(member);
        activity
    }

    pub(super) fn leave(&self, stream: &Arc<Stream>) {
        let _ = stream.shutdown();
        let mut members = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        members.retain(|member| !Arc::ptr_eq(&member.stream, stream));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asked_for_nothing_makes_room_first() {
        let quiet = Activity::new();
        assert!(quiet.expendable().is_some_and(|(never_asked, _)| never_asked));
        quiet.request(true);
        quiet.moved();
        assert_eq!(quiet.expendable(), None, "in the middle of a message, and not for long");
        quiet.request(false);
        assert_eq!(quiet.expendable(), None, "idle, and in use");
    }
}
