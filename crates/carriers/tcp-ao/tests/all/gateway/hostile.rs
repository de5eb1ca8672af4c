//! Whatever comes, a gateway does not panic and lets nothing through that is not authentic.

use fieldtest_tcp_ao::Packet;
use fieldtest_tcp_ao::gateway::Action;
use proptest::prelude::*;

use super::world::{ADDRESSES, World};
use crate::stack::{ACK, DATA_OPTIONS};

/// A genuine segment of the connection with some of its bytes changed, and cut off or lengthened.
fn damaged() -> impl Strategy<Value = (Vec<(usize, u8)>, usize)> {
    (prop::collection::vec((0_usize..200, any::<u8>()), 0..6), 0_usize..220)
}

fn damage(packet: &mut Vec<u8>, (changes, length): &(Vec<(usize, u8)>, usize)) {
    for (place, value) in changes {
        if let Some(byte) = packet.get_mut(*place) {
            *byte = *value;
        }
    }
    if length % 3 == 0 {
        packet.resize(*length, 0);
    }
}

/// Whether two packets are the same to TCP-AO: all but what routers change and what the MAC does not cover.
fn authenticated_part(bytes: &[u8]) -> Option<Vec<u8>> {
    let packet = Packet::parse(bytes).ok()??;
    let mut segment = packet.segment().bytes().to_vec();
    segment[16..18].fill(0);
    Some(
        [packet.source().to_string().into_bytes(), packet.destination().to_string().into_bytes(), segment]
            .concat(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(packets in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..120)), 1..8)) {
        let mut world = World::open(ADDRESSES[0]);
        for (inner, mut packet) in packets {
            for version in [0x45, 0x60] {
                if let Some(first) = packet.first_mut() {
                    *first = version;
                }
                if inner { world.give_inner(&packet) } else { world.give_outer(&packet) };
            }
        }
    }

    #[test]
    fn damaged_segments_from_outside(v6 in 0_usize..2, damages in prop::collection::vec(damaged(), 1..4)) {
        let mut world = World::open(ADDRESSES[v6]);
        let genuine = world.outer.send(ACK, b"the genuine payload of this segment");
        let authentic = authenticated_part(&genuine);
        for wanted in &damages {
            let mut packet = genuine.clone();
            damage(&mut packet, wanted);
            let (action, _) = world.give_outer(&packet);
            let still_tcp = Packet::parse(&packet).is_ok_and(|parsed| parsed.is_some());
            if action == Action::Forward && still_tcp {
                prop_assert_eq!(authenticated_part(&packet), authentic.clone());
            }
        }
        // None of them harmed the connection.
        world.carry_out(ACK, &DATA_OPTIONS, b"on");
        world.carry_in(ACK, b"and on");
    }

    #[test]
    fn damaged_segments_from_inside(v6 in 0_usize..2, wanted in damaged()) {
        let mut world = World::open(ADDRESSES[v6]);
        let mut packet = world.inner.segment(ACK, &DATA_OPTIONS, b"the payload of this segment");
        damage(&mut packet, &wanted);
        let before = packet.clone();
        let (action, out) = world.give_inner(&packet);
        prop_assert_eq!(packet, before);
        if action == Action::Forward {
            prop_assert!(!out.is_empty());
        }
    }
}
