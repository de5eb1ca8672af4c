//! The system's side of waiting: epoll, and a timer that is exact to the microsecond.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::{self, Errno};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

const EVENTS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ready {
    /// A UDP socket can be read.
    Socket(u32),
    /// Something happened to a connection: its place, and its turn in it.
    Connection(u32, u32),
}

const KIND: u64 = 1 << 62;
const TIMER: u64 = 1 << 63;

pub(super) struct Poll {
    epoll: OwnedFd,
    timer: OwnedFd,
    /// What the timer is set to; 0 if it is not.
    set: u64,
    events: Vec<Event>,
}

impl Poll {
    pub(super) fn new() -> io::Result<Poll> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        // The timeout of epoll itself is in milliseconds, which at a thousand queries a second is the whole gap.
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN | EventFlags::ET)?;
        Ok(Poll { epoll, timer, set: 0, events: Vec::with_capacity(EVENTS) })
    }

    /// Tells of datagrams as long as there are any.
    pub(super) fn watch_socket(&self, fd: impl AsFd, number: u32) -> io::Result<()> {
        epoll::add(&self.epoll, fd, EventData::new_u64(number.into()), EventFlags::IN)
    }

    /// Tells once of everything new: it is there, it can be written, something came, it ended.
    pub(super) fn watch_connection(&self, fd: impl AsFd, place: u32, turn: u32) -> io::Result<()> {
        let data = KIND | u64::from(turn & (KIND >> 33) as u32) << 32 | u64::from(place);
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, fd, EventData::new_u64(data), flags)
    }

    /// What is ready, at once or until a moment comes; `now` and `until` are nanoseconds of the run.
    pub(super) fn wait(&mut self, now: u64, until: u64, ready: &mut Vec<Ready>) -> io::Result<()> {
        let at_once = until <= now;
        if !at_once && self.set != until {
            let value = timespec(until - now);
            let never = timespec(0);
            let spec = Itimerspec { it_interval: never, it_value: value };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &spec)?;
            self.set = until;
        }
        let none = timespec(0);
        self.events.clear();
        let waited = epoll::wait(
            &self.epoll,
            spare_capacity(&mut self.events),
            if at_once { Some(&none) } else { None },
        );
        match waited {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        ready.clear();
        for event in &self.events {
            match event.data.u64() {
                TIMER => self.set = 0,
                data if data & KIND != 0 => {
                    ready.push(Ready::Connection(data as u32, (data >> 32) as u32 & (KIND >> 33) as u32));
                }
                data => ready.push(Ready::Socket(data as u32)),
            }
        }
        Ok(())
    }
}

/// The bits of a connection's turn that come back with its events.
pub(super) const TURNS: u32 = (KIND >> 33) as u32;

fn timespec(nanoseconds: u64) -> Timespec {
    // Far below 292 years.
    Timespec::try_from(Duration::from_nanos(nanoseconds)).unwrap_or_default()
}
