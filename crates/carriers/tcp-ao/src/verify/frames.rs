//! From a captured frame to the segment in it, or to a verdict where there is none.

use super::batch::Entry;
use super::{Outcome, Verdict, Verifier, VerifyError};
use crate::capture::{Captured, network_layer};
use crate::flows::Place;
use crate::ip::Packet;
use crate::layers::{Content, Lost};
use crate::tcp::kind;

impl Verifier {
    /// Tells what became of fragments whose packets were not completed.
    pub(super) fn note_lost(&mut self) {
        for Lost { number, matters, crowded } in self.layers.lost() {
            let verdict = match (matters, crowded) {
                (true, true) => Verdict::TooManyFragments,
                (true, false) => Verdict::Incomplete,
                (false, _) => Verdict::NotTcp,
            };
            self.batch.entries.push(Entry::Done(Outcome { number, connection: None, verdict }));
        }
    }

    /// Looks at a packet up to the point where its tag must be known; `None` for a fragment that waits for others.
    pub(super) fn classify(&mut self, captured: &Captured<'_>) -> Result<Option<Entry>, VerifyError> {
        // Nearly every packet of a capture is this.
        if let Ok(at) = network_layer(captured.link, captured.bytes)
            && let Ok(Some(packet)) = Packet::parse(captured.bytes.get(at..).unwrap_or_default())
        {
            return self.classify_segment(captured.number, &packet).map(Some);
        }
        let done =
            |verdict| Some(Entry::Done(Outcome { number: captured.number, connection: None, verdict }));
        let content = self.layers.open(captured);
        if self.layers.has_news() {
            let of = captured.number;
            for number in self.layers.joined() {
                let verdict = Verdict::Fragment { of };
                let outcome = Outcome { number: *number, connection: None, verdict };
                self.batch.entries.push(Entry::Done(outcome));
            }
            self.note_lost();
        }
        let bytes = match content {
            Content::Tcp(bytes) => bytes,
            Content::Other => return Ok(done(Verdict::NotTcp)),
            Content::Fragment => return Ok(None),
            Content::Repeated => return Ok(done(Verdict::Fragment { of: captured.number })),
            Content::Overlap => return Ok(done(Verdict::Overlap)),
            Content::Damaged => return Ok(done(Verdict::Malformed)),
            Content::Snapped => return Ok(done(Verdict::Snapped)),
            Content::UnknownLink(link) => return Ok(done(Verdict::UnknownLink { link })),
            Content::Opaque(what) => return Ok(done(Verdict::Opaque { what })),
        };
        // `open` has parsed it before.
        match Packet::parse(&bytes) {
            Ok(Some(packet)) => self.classify_segment(captured.number, &packet).map(Some),
            _ => Ok(done(Verdict::Malformed)),
        }
    }

    pub(super) fn without_option(&mut self, place: Place, packet: &Packet<'_>) -> Verdict {
        let Some(state) = self.states.get_mut(place.connection) else { return Verdict::Plain };
        let has_md5 = packet.segment().options().flatten().any(|option| option.kind == kind::MD5);
        state.md5 |= has_md5;
        match (state.signed, has_md5) {
            (true, true) => Verdict::Md5Instead,
            (true, false) => Verdict::Unsigned,
            (false, true) => Verdict::Md5,
            (false, false) if state.md5 => Verdict::Md5Missing,
            (false, false) => Verdict::Plain,
        }
    }
}
