//! The words of this study's records: written by the study, read by its chapter of a report.

use std::fmt;

use fieldtest_measure::words;

words! {
    /// What a record is a result of.
    #[non_exhaustive]
    pub enum Operation {
        /// A segment received; the subject is [`Segments`]. Its lead has the same subject.
        Segment = "segment",
        /// A MAC computed with a key that is prepared for this segment alone; the subject is the length of its input.
        SegmentUnprepared = "segment-unprepared",
        /// A segment by somebody else's results; the subject is [`Published`].
        SegmentPublished = "segment-published",
        /// A traffic key derived of a master key.
        Derive = "derive",
        /// A traffic key made ready to compute MACs.
        Prepare = "prepare",
        /// Bytes of the authentication option.
        Option = "option",
        /// Bytes of all options of a SYN that carries what is usual.
        OptionsOfFullSyn = "options-of-full-syn",
        /// Blocks of selective acknowledgment that there is room for; the subject is [`Timestamps`].
        SackBlocks = "sack-blocks",
        /// Bytes of payload in the longest segment; the subject is [`PAYLOAD`].
        Payload = "payload",
        /// Every segment of a capture given its MAC; the subject is a time.
        Capture = "capture",
        /// The same for each of its segments; the subject is a time.
        CaptureSegment = "capture-segment",
        /// What the options do to the segments of a capture; the subject is an [`Effect`].
        CaptureOptions = "capture-options",
    }
}

words! {
    /// What the authentication option does to segments of a capture.
    pub enum Effect {
        /// Segments whose other options leave it no room.
        NoRoom = "no room",
        /// Segments that must give up blocks of selective acknowledgement.
        SackBlocks = "SACK blocks lost",
        /// Segments that fitted the maximum segment size and do not with it.
        TooLong = "over the MSS",
        /// Bytes that it adds to all that get it.
        Added = "added",
    }
}

words! {
    /// How segments are worked on.
    pub enum Way {
        /// One after the other.
        Single = "single",
        /// Many with one call.
        Batched = "batched",
    }
}

impl Way {
    /// As people call it.
    pub const fn in_words(self) -> &'static str {
        match self {
            Way::Single => "one at a time",
            Way::Batched => "in batches",
        }
    }
}

words! {
    /// Whether a data segment has the timestamps option.
    pub enum Timestamps {
        /// It has.
        With = "with timestamps",
        /// It has not.
        Without = "without timestamps",
    }
}

/// The segments that [`Operation::Payload`] is told of.
pub const PAYLOAD: &str = "MTU 1500, IPv4, timestamps";

/// Segments of one length, worked on in one way: `144 single`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segments {
    /// Bytes of MAC input.
    pub length: u32,
    /// The way.
    pub way: Way,
}

impl Segments {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Segments> {
        let (length, way) = subject.split_once(' ')?;
        Some(Segments { length: length.parse().ok()?, way: Way::from_word(way)? })
    }
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.length, self.way)
    }
}

/// Segments of one length by somebody else's results: `144 Linux 7.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published<'a> {
    /// Bytes of MAC input.
    pub length: u32,
    /// Whose code it is.
    pub code: &'a str,
}

impl<'a> Published<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Published<'a>> {
        let (length, code) = subject.split_once(' ')?;
        Some(Published { length: length.parse().ok()?, code })
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::words::Time;
    use fieldtest_testing::words::writes_what_is_read;

    use super::*;
    use crate::{STUDY_SECTION, TcpAoPart};

    fn is_known(operation: &str, subject: &str) -> Option<bool> {
        Some(match Operation::from_word(operation)? {
            Operation::Segment => Segments::read(subject).is_some(),
            Operation::SegmentPublished => Published::read(subject).is_some(),
            Operation::SegmentUnprepared => subject.parse::<u32>().is_ok(),
            Operation::SackBlocks => Timestamps::from_word(subject).is_some(),
            Operation::Payload => subject == PAYLOAD,
            Operation::Capture | Operation::CaptureSegment => Time::from_word(subject).is_some(),
            Operation::CaptureOptions => Effect::from_word(subject).is_some(),
            _ => subject.is_empty(),
        })
    }

    #[test]
    fn what_is_written_is_read_back() {
        for way in Way::ALL {
            let segments = Segments { length: 144, way };
            assert_eq!(Segments::read(&segments.to_string()), Some(segments));
        }
        let published = Published { length: 144, code: "Linux before 7.2" };
        assert_eq!(Published::read("144 Linux before 7.2"), Some(published));
        assert_eq!(Segments { length: 144, way: Way::Batched }.to_string(), "144 batched");
    }

    #[test]
    fn a_study_writes_nothing_that_its_study_section_does_not_know() {
        let names = ["aes-128-cmac-96", "hmac-sha1-96", "tcp-md5", "poly1305-aes"];
        let algorithms = names.map(str::to_owned).to_vec();
        let (ipv4, ipv6, batch) = (vec![83, 144], vec![172], 8);
        writes_what_is_read(
            &[&STUDY_SECTION],
            &TcpAoPart { ipv4, ipv6, batch, algorithms, ..TcpAoPart::default() },
            is_known,
        );
    }
}
