//! Queries that wait for their answers, found by socket and ID.

use std::collections::{HashMap, VecDeque};

use crate::query::Query;

/// IDs that are tried before a query counts as one that cannot be sent. They are given out in turn and kept for the same time, so
/// where so many in a row are taken, all are.
const TRIES: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Udp,
    Tcp,
    /// Nothing: what still comes is a second answer.
    Answered,
    /// Nothing: what still comes is late.
    TimedOut,
    /// Nothing: its connection failed.
    Failed,
}

impl Stage {
    fn waits(self) -> bool {
        matches!(self, Stage::Udp | Stage::Tcp)
    }
}

#[derive(Debug)]
pub(super) struct Flight {
    pub(super) query: Query,
    pub(super) id: u16,
    pub(super) socket: u32,
    pub(super) sent: u64,
    pub(super) stage: Stage,
    /// Asked over TCP because the answer over UDP was truncated.
    pub(super) again: bool,
    /// Sent twice over TCP, because a kept connection ended.
    pub(super) resent: bool,
    /// The place of the connection that it was asked over.
    pub(super) place: Option<u32>,
    /// Which entry of the queue of deadlines is its own.
    turn: u64,
}

/// Which flight: its place, and its turn in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    slot: u32,
    /// Of the flight's beginning, whatever deadlines it had since.
    begun: u64,
}

#[derive(Debug)]
pub(super) struct Flights {
    slots: Vec<Option<(u64, Flight)>>,
    free: Vec<u32>,
    by_id: HashMap<(u32, u16), u32>,
    ids: Vec<u16>,
    /// Ascending, since every deadline is the same time after the moment at which it was set.
    deadlines: VecDeque<(u64, u32, u64)>,
    turns: u64,
    waiting: usize,
}

impl Flights {
    pub(super) fn new(sockets: usize) -> Flights {
        Flights {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: HashMap::new(),
            // Not from 0: an answer with ID 0 by a broken server would count as one.
            ids: (0..sockets).map(|socket| (socket as u16).wrapping_mul(40_503) | 1).collect(),
            deadlines: VecDeque::new(),
            turns: 0,
            waiting: 0,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// An ID that no waiting query of the socket has.
    pub(super) fn id(&mut self, socket: u32) -> Option<u16> {
        for _ in 0..TRIES {
            let next = &mut self.ids[socket as usize];
            let id = *next;
            *next = next.wrapping_add(1);
            match self.by_id.get(&(socket, id)) {
                None => return Some(id),
                Some(&slot)
                    if !self.slots[slot as usize].as_ref().is_some_and(|(_, it)| it.stage.waits()) =>
                {
                    self.remove(slot);
                    return Some(id);
                }
                Some(_) => {}
            }
        }
        None
    }

    /// Takes a query that is sent now under an ID of [`id`](Self::id).
    pub(super) fn begin(
        &mut self,
        query: Query,
        socket: u32,
        id: u16,
        sent: u64,
        stage: Stage,
        deadline: u64,
    ) -> Ticket {
        self.turns += 1;
        let begun = self.turns;
        let flight =
            Flight { query, id, socket, sent, stage, again: false, resent: false, place: None, turn: begun };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.slots[slot as usize] = Some((begun, flight));
        self.by_id.insert((socket, id), slot);
        self.deadlines.push_back((deadline, slot, begun));
        self.waiting += 1;
        Ticket { slot, begun }
    }

    pub(super) fn find(&self, socket: u32, id: u16) -> Option<Ticket> {
        let slot = *self.by_id.get(&(socket, id))?;
        let (begun, _) = self.slots[slot as usize].as_ref()?;
        Some(Ticket { slot, begun: *begun })
    }

    pub(super) fn get(&mut self, ticket: Ticket) -> Option<&mut Flight> {
        let (begun, flight) = self.slots[ticket.slot as usize].as_mut()?;
        (*begun == ticket.begun).then_some(flight)
    }

    /// Waits for something else from now on, until a new deadline.
    pub(super) fn renew(&mut self, ticket: Ticket, stage: Stage, deadline: u64) {
        self.turns += 1;
        let turn = self.turns;
        if let Some(flight) = self.get(ticket) {
            flight.stage = stage;
            flight.turn = turn;
            self.deadlines.push_back((deadline, ticket.slot, turn));
        }
    }

    /// Awaits nothing more; it is remembered until its deadline, so that what still comes is known for what it is.
    pub(super) fn settle(&mut self, ticket: Ticket, stage: Stage) {
        if let Some(flight) = self.get(ticket) {
            let waited = flight.stage.waits();
            flight.stage = stage;
            self.waiting -= usize::from(waited);
        }
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        self.deadlines.front().map(|(deadline, ..)| *deadline)
    }

    /// The next flight whose time is over while it waited; those that awaited nothing are forgotten on the way.
    pub(super) fn expired(&mut self, now: u64) -> Option<Ticket> {
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let Some((_, slot, turn)) = self.deadlines.pop_front() else { break };
            match &self.slots[slot as usize] {
                Some((begun, flight)) if flight.turn == turn => {
                    if flight.stage.waits() {
                        return Some(Ticket { slot, begun: *begun });
                    }
                    self.remove(slot);
                }
                _ => {}
            }
        }
        None
    }

    fn remove(&mut self, slot: u32) {
        if let Some((_, flight)) = self.slots[slot as usize].take() {
            self.by_id.remove(&(flight.socket, flight.id));
            self.free.push(slot);
        }
    }
}
