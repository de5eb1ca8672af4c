//! A thread's connections, by place and by client.

use std::collections::HashMap;

use super::connection::Connection;
use super::poll::TURNS;

#[derive(Debug, Default)]
pub(super) struct Connections {
    pub(super) places: Vec<(u32, Option<Connection>)>,
    pub(super) free: Vec<u32>,
    /// The kept one of each client, plain or with TLS.
    pub(super) of_client: HashMap<(u32, bool), u32>,
}

impl Connections {
    /// A place for a connection, and its turn in it.
    pub(super) fn place(&mut self) -> (u32, u32) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push((0, None));
            (self.places.len() - 1) as u32
        });
        let turn = &mut self.places[place as usize].0;
        *turn = (*turn + 1) & TURNS;
        (place, *turn)
    }

    pub(super) fn put(&mut self, place: u32, connection: Connection) {
        self.places[place as usize].1 = Some(connection);
    }

    pub(super) fn take(&mut self, place: u32) -> Option<Connection> {
        self.places.get_mut(place as usize)?.1.take()
    }

    /// The connection is dropped; its place is another's.
    pub(super) fn leave(&mut self, place: u32, connection: &Connection) {
        let owner = (connection.client, connection.session().is_some());
        if connection.kept && self.of_client.get(&owner) == Some(&place) {
            self.of_client.remove(&owner);
        }
        self.free.push(place);
    }
}
