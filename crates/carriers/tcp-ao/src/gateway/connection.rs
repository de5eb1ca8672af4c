//! The connections that a gateway knows: a bounded table with timeouts.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::Settings;
use crate::pair::SocketPair;
use crate::session::Session;
use crate::tcp::Segment;

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) session: Session,
    last_used: Instant,
    /// An authentic segment after the handshake has come from outside.
    confirmed: bool,
    fin_sent: bool,
    fin_received: bool,
    reset: bool,
    /// The highest acknowledgement number in an authentic segment from outside.
    acknowledged: u32,
    /// Keys that management took away are still in use.
    pub(super) retiring: bool,
}

impl Connection {
    pub(super) fn new(session: Session, now: Instant) -> Connection {
        Connection {
            session,
            last_used: now,
            confirmed: false,
            fin_sent: false,
            fin_received: false,
            reset: false,
            acknowledged: 0,
            retiring: false,
        }
    }

    pub(super) fn sent(&mut self, segment: &Segment<'_>, now: Instant) {
        self.last_used = now;
        if segment.flags().syn() {
            self.begin_again();
        }
        self.fin_sent |= segment.flags().fin();
        self.reset |= segment.flags().rst();
    }

    pub(super) fn received(&mut self, segment: &Segment<'_>, now: Instant) {
        self.last_used = now;
        let flags = segment.flags();
        if flags.syn() {
            // Possibly a replay: an established connection stays what it is.
            return;
        }
        if flags.ack() {
            let step = segment.acknowledgement().wrapping_sub(self.acknowledged) as i32;
            if !self.confirmed || step > 0 {
                self.acknowledged = segment.acknowledgement();
            }
            self.confirmed = true;
        }
        self.fin_received |= flags.fin();
        self.reset |= flags.rst();
    }

    fn begin_again(&mut self) {
        (self.confirmed, self.fin_sent, self.fin_received, self.reset) = (false, false, false, false);
    }

    /// Whether both ends have agreed on the connection: a synchronized state of RFC 9293, section 3.3.2.
    pub(super) fn synchronized(&self) -> bool {
        self.confirmed
    }

    /// Whether the inner host has sent this sequence number and it was not acknowledged yet (RFC 5927, section 4.1).
    pub(super) fn under_way(&self, sequence: u32) -> bool {
        let window = (self.session.send_sequences().highest() as u32).wrapping_sub(self.acknowledged);
        self.confirmed && (window as i32) >= 0 && sequence.wrapping_sub(self.acknowledged) <= window
    }

    fn expired(&self, settings: &Settings, now: Instant) -> bool {
        let limit = if self.reset || (self.fin_sent && self.fin_received) {
            settings.closing_timeout
        } else if self.confirmed {
            settings.idle_timeout
        } else {
            settings.handshake_timeout
        };
        now.saturating_duration_since(self.last_used) >= limit
    }
}

/// Connections by the inner host's view of their socket pair.
#[derive(Debug, Default)]
pub(super) struct Connections {
    table: HashMap<SocketPair, Connection>,
    last_swept: Option<Instant>,
}

impl Connections {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.table.values()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Connection> {
        self.table.values_mut()
    }

    pub(super) fn get(&self, pair: &SocketPair) -> Option<&Connection> {
        self.table.get(pair)
    }

    pub(super) fn get_mut(&mut self, pair: &SocketPair) -> Option<&mut Connection> {
        self.table.get_mut(pair)
    }

    /// Adds or replaces a connection; `None` where the table is full of others.
    pub(super) fn insert(
        &mut self,
        connection: Connection,
        settings: &Settings,
        now: Instant,
    ) -> Option<&mut Connection> {
        let pair = *connection.session.pair();
        if self.table.len() >= settings.max_connections && !self.table.contains_key(&pair) {
            // At most once per interval: a sweep looks at every connection, and a flood would cause one per
            // packet.
            if self.last_swept.is_none_or(|last| now.saturating_duration_since(last) >= SWEEP_INTERVAL) {
                self.sweep(settings, now);
            }
            if self.table.len() >= settings.max_connections {
                return None;
            }
        }
        self.table.insert(pair, connection);
        self.table.get_mut(&pair)
    }

    pub(super) fn sweep(&mut self, settings: &Settings, now: Instant) {
        self.last_swept = Some(now);
        self.table.retain(|_, connection| !connection.expired(settings, now));
    }
}

const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
