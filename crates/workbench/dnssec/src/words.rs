//! The words of this study's records: written by the study, read by its chapter of a report. Single operations have the
//! words that all studies share.

mod load;
mod servers;
mod transition;

use std::fmt;

use fieldtest_dnssec::denial::{Denial as ZoneDenial, Nsec3};
use fieldtest_measure::words;
pub use load::{Counted, Flow, Phase, Quantile, in_phase};
pub use servers::{AtLevel, Cost, PerQuery, Probe, Signed};
pub use transition::{Stage, downgraded};

words! {
    /// What a record is a result of.
    #[non_exhaustive]
    pub enum Operation {
        /// Octets of a DNS message; the subject is a [`Message`].
        MessageSize = "message-size",
        /// The share of answers that are larger than a limit; the subject is [`Larger`].
        ShareOver = "share-over",
        /// Bytes of the signed zone; the subject is a [`Form`].
        ZoneSize = "zone-size",
        /// The share of a day's answers that would be truncated.
        TruncatedShare = "tc-share",
        /// The queries of a day that would come over TCP.
        TcpQueries = "tcp-queries",
        /// How many signatures the zone has.
        Signatures = "signatures",
        /// The zone signed; the subject is a time.
        SignZone = "sign-zone",
        /// The signed zone validated; the subject is a time.
        ValidateZone = "validate-zone",
        /// The zone signed by the server's own signer; the subject is a time.
        ServerSignZone = "server-sign-zone",
        /// A resolver's answers to its clients, from the moment at which a query was due; the subject is a [`Phase`] and a [`Quantile`].
        ResolverLatency = "resolver-latency",
        /// What a resolver takes of the processor for each query; the subject is a [`Phase`], as of the following.
        ResolverProcessor = "resolver-processor",
        /// Signatures that a resolver verifies for each query.
        Verifications = "resolver-verifications",
        /// What these take of the processor.
        Verifying = "resolver-verifying",
        /// That as a share of the resolver's processor time.
        VerifyingShare = "resolver-verifying-share",
        /// The highest rate that a resolver holds.
        HeldRate = "resolver-rate",
        /// What all name servers together take for each query of the resolver's clients.
        AuthorityProcessor = "authority-processor",
        /// The most memory of a resolver.
        ResolverMemory = "resolver-memory",
        /// Between a resolver and name servers, for each query of its clients; the subject is a [`Phase`] and what is [`Counted`].
        Upstream = "resolver-upstream",
        /// Between its clients and a resolver.
        Downstream = "resolver-downstream",
        /// Connections that clients make to a resolver for each query, over TCP or TLS; the subject is a [`Phase`].
        Connections = "resolver-connections",
        /// The share of these that resumed a session of TLS.
        ResumedShare = "resolver-resumed",
        /// What one more connection of a client takes of a resolver's processor, over TLS with its handshake.
        ConnectionProcessor = "connection-processor",
        /// Connections times that, as a share of a resolver's processor time.
        ConnectionShare = "resolver-connection-share",
        /// The share of a resolver's clients' queries whose answer was secure.
        SecureShare = "resolver-secure",
        /// Whose answer was SERVFAIL.
        FailedShare = "resolver-servfail",
        /// That were not answered in time.
        LostShare = "resolver-lost",
        /// Datagrams, for each of these queries, that the kernel lost as the buffer of a socket was full: a client's, the resolver's or a name
        /// server's.
        Overflowed = "resolver-overflowed",
        /// The share of a resolver's answers of which it makes this; the subject is an [`Attack`] and a [`Verdict`].
        Downgrade = "downgrade",
        /// When a step of a roll began; the subject is a [`Stage`], as of the following.
        RekeyBegins = "rekey-begins",
        /// Octets of the DNSKEY answer.
        RekeyKeys = "rekey-dnskey",
        /// Octets of a transfer of the whole zone (AXFR).
        RekeyWhole = "rekey-axfr",
        /// Octets of a transfer of what the step changed (IXFR).
        RekeyDifference = "rekey-ixfr",
        /// Signatures of the zone.
        RekeySignatures = "rekey-signatures",
        /// The share of truncated answers among those that the zone's name server sends over UDP.
        RekeyTruncated = "rekey-truncated",
        /// Queries to the zone's name server for each query of a client.
        RekeyUpstream = "rekey-upstream",
        /// The share of the clients' queries whose answer was secure.
        RekeySecure = "rekey-secure",
        /// Whose answer was SERVFAIL.
        RekeyFailed = "rekey-servfail",
        /// That were not answered in time.
        RekeyLost = "rekey-lost",
        /// Both together, in a second.
        RekeyUnanswered = "rekey-unanswered",
        /// What a query to the name servers of a level costs them; the subject is a level and what is told [`PerQuery`].
        AuthorityQuery = "authority-query",
        /// What one query to a zone that was made to cost much takes of a resolver's processor; the subject is a [`Probe`], as of the following.
        TrapProcessor = "trap-processor",
        /// How long the client waits for its answer.
        TrapLatency = "trap-latency",
        /// Signatures that the resolver verifies for it.
        TrapVerifications = "trap-verifications",
        /// The processor time as a multiple of that of a usual query in the same repetition.
        TrapFactor = "trap-factor",
        /// What a query costs, with caches cold, where one level of the hierarchy has the algorithm and the others a baseline; the subject is
        /// [`AtLevel`].
        LevelCost = "level-cost",
        /// That, as a multiple of what it costs in the same rounds where all levels have the baseline.
        LevelFactor = "level-factor",
    }
}

/// Notes of a resolver's records that the report reads again.
pub(crate) mod note {
    /// Signatures are verified by what the resolver verifies RSA, ECDSA and EdDSA with.
    pub(crate) const BY_ITS_OWN: &str = "verified by the resolver's usual library";
    /// Signatures are verified by what somebody gave the resolver for it.
    pub(crate) const BY_WHAT_WAS_ADDED: &str =
        "verified by what was added to the resolver, libfieldtest in those of lab/resolvers";
    /// Over what a resolver's clients asked, after these words.
    pub(crate) const ASKED: &str = "clients ask ";
    /// What a resolver said to the query, after these words.
    pub(crate) const ANSWERED: &str = "answered: ";
    /// Keys and signatures of a trap, after these words.
    pub(crate) const TRAP: &str = "trap: ";
    /// All rates that were sent were held.
    pub(crate) const HELD_TO_THE_END: &str = "at least: in a visit the highest rate was held";
    /// The next rate was not held, and that may be the generator's fault.
    pub(crate) const GENERATOR_LIMITED: &str =
        "generator-limited: in a visit the load generator was late itself at the next rate";
    /// A load was counted to be steady.
    pub(crate) const STEADY: &str = "steady: name servers were asked no less in the second half of the load";
}

/// The subject of a rate that was not held.
pub const NOT_HELD: &str = "not held";

words! {
    /// An answer, with what stands for it where zones have several of its kind.
    #[non_exhaustive]
    pub enum Answer {
        /// The SOA record.
        Soa = "soa",
        /// An RRset of the zone's own, in an answer of median size.
        OwnMedian = "own median",
        /// In an answer that 99 of 100 do not exceed.
        OwnP99 = "own p99",
        /// In the largest answer.
        OwnMax = "own max",
        /// The DNSKEY RRset with a key-signing and a zone-signing key.
        DnskeySteady = "dnskey steady",
        /// With one key for both.
        DnskeyCsk = "dnskey csk",
        /// While the zone-signing key is rolled.
        DnskeyZskRoll = "dnskey zsk-roll",
        /// While the key-signing key is rolled.
        DnskeyRoll = "dnskey roll",
        /// While both key-signing keys sign.
        DnskeyDoubleSigned = "dnskey double-signed",
        /// What a resolver asks the root first (RFC 8109).
        Priming = "priming",
        /// The name servers of a zone that is not the root, with their addresses.
        ApexNs = "apex-ns",
        /// A name without records of the type.
        Nodata = "nodata",
        /// A name that does not exist, in the smallest answer.
        NxdomainBest = "nxdomain best",
        /// In an answer of median size.
        NxdomainTypical = "nxdomain typical",
        /// In the largest answer.
        NxdomainWorst = "nxdomain worst",
        /// A delegation, in an answer of median size.
        ReferralMedian = "referral median",
        /// In the largest answer.
        ReferralMax = "referral max",
        /// A DS RRset, in the largest answer.
        DsMax = "ds max",
    }
}

impl Answer {
    /// The kind that it is one of: `nxdomain`.
    pub fn kind(self) -> &'static str {
        let word = self.word();
        word.split_once(' ').map_or(word, |(kind, _)| kind)
    }

    /// As people call it, of those that are [usual](Self::is_usual).
    const fn in_words(self) -> &'static str {
        match self {
            Answer::Soa => "SOA",
            Answer::OwnMax => "the zone's largest RRset",
            Answer::DnskeySteady => "DNSKEY with KSK and ZSK",
            Answer::DnskeyCsk => "DNSKEY with one key",
            Answer::Nodata => "NODATA",
            Answer::NxdomainTypical => "a typical NXDOMAIN",
            Answer::ReferralMedian => "a typical referral",
            other => other.word(),
        }
    }

    /// Whether zones are asked this day by day, and cannot answer with less: of denials and delegations no extreme, none of the
    /// sets of a key roll, and not the name servers of a zone below the root, whose signed addresses may be left out (RFC 2181,
    /// section 9). Of the zone's own RRsets the largest counts: they are what it is there for, and each is asked for.
    pub const fn is_usual(self) -> bool {
        !matches!(
            self,
            Answer::DnskeyZskRoll
                | Answer::DnskeyRoll
                | Answer::DnskeyDoubleSigned
                | Answer::NxdomainBest
                | Answer::NxdomainWorst
                | Answer::ReferralMax
                | Answer::DsMax
                | Answer::ApexNs
        )
    }

    /// Whether it stands for the others of its kind.
    pub const fn stands_for_its_kind(self) -> bool {
        matches!(
            self,
            Answer::OwnMedian | Answer::DnskeySteady | Answer::NxdomainTypical | Answer::ReferralMedian
        )
    }
}

words! {
    /// How a zone denies that something exists.
    #[non_exhaustive]
    pub enum Denial {
        /// RFC 4034.
        Nsec = "nsec",
        /// RFC 5155.
        Nsec3 = "nsec3",
        /// RFC 5155, insecure delegations left out.
        Nsec3OptOut = "nsec3-opt-out",
        /// RFC 9824.
        Compact = "compact",
    }
}

impl Denial {
    /// How zones are signed for it, with NSEC3 as RFC 9276 recommends it; nothing where they are not signed but answers are.
    pub fn of_zones(self) -> Option<ZoneDenial> {
        let nsec3 = |opt_out| ZoneDenial::Nsec3(Nsec3 { iterations: 0, salt: Vec::new(), opt_out });
        match self {
            Denial::Nsec => Some(ZoneDenial::Nsec),
            Denial::Nsec3 => Some(nsec3(false)),
            Denial::Nsec3OptOut => Some(nsec3(true)),
            Denial::Compact => None,
        }
    }

    /// As people call it.
    pub const fn in_words(self) -> &'static str {
        match self {
            Denial::Nsec => "NSEC",
            Denial::Nsec3 => "NSEC3",
            Denial::Nsec3OptOut => "NSEC3 with opt-out",
            Denial::Compact => "compact denial",
        }
    }
}

/// A message: `soa`; `nxdomain typical nsec3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// What it answers.
    pub answer: Answer,
    /// The way of denial, where that matters to it.
    pub denial: Option<Denial>,
}

impl Message {
    /// Reads a subject.
    pub fn read(subject: &str) -> Option<Message> {
        let (answer, denial) = Message::split(subject);
        Some(Message { answer: Answer::from_word(answer)?, denial })
    }

    /// As people call it: `a typical NXDOMAIN with NSEC3`.
    pub(crate) fn in_words(self) -> String {
        let denial = self.denial.map(|it| format!(" with {}", it.in_words())).unwrap_or_default();
        format!("{}{denial}", self.answer.in_words())
    }

    /// Splits a subject into the answer, which may be one of another version, and the way of denial.
    pub fn split(subject: &str) -> (&str, Option<Denial>) {
        let found = subject.rsplit_once(' ');
        match found.and_then(|(answer, word)| Some((answer, Denial::from_word(word)?))) {
            Some((answer, denial)) => (answer, Some(denial)),
            None => (subject, None),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denial {
            Some(denial) => write!(f, "{} {denial}", self.answer),
            None => self.answer.fmt(f),
        }
    }
}

/// Answers of a kind that are larger than a limit: `nxdomain 1232`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Larger<'a> {
    /// The kind.
    pub kind: &'a str,
    /// Octets.
    pub limit: u64,
}

impl<'a> Larger<'a> {
    /// Reads a subject.
    pub fn read(subject: &'a str) -> Option<Larger<'a>> {
        let (kind, limit) = subject.rsplit_once(' ')?;
        Some(Larger { kind, limit: limit.parse().ok()? })
    }
}

impl fmt::Display for Larger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.limit)
    }
}

words! {
    /// How a signed zone is written.
    #[non_exhaustive]
    pub enum Form {
        /// Each record in wire format.
        Raw = "raw",
        /// A zone file.
        Text = "text",
        /// The messages of a transfer.
        Axfr = "axfr",
    }
}

words! {
    /// What is too large of an algorithm that a zone cannot have.
    pub enum Unfit {
        /// One key, for a record.
        Key = "dnskey",
        /// The keys together, for a message.
        KeySet = "dnskey steady",
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::words::{Time, UNFIT};
    use fieldtest_testing::words::writes_what_is_read;

    use super::*;
    use crate::{DnssecPart, STUDY_SECTION};

    fn is_known(operation: &str, subject: &str) -> Option<bool> {
        if operation == UNFIT {
            return Some(Unfit::from_word(subject).is_some());
        }
        Some(match Operation::from_word(operation)? {
            Operation::MessageSize => Message::read(subject).is_some(),
            Operation::ShareOver => Larger::read(subject).is_some(),
            Operation::ZoneSize => Form::from_word(subject).is_some(),
            Operation::SignZone | Operation::ValidateZone | Operation::ServerSignZone => {
                Time::from_word(subject).is_some()
            }
            _ => subject.is_empty(),
        })
    }

    #[test]
    fn what_is_written_is_read_back() {
        for answer in Answer::ALL {
            for denial in std::iter::once(None).chain(Denial::ALL.map(Some)) {
                let message = Message { answer, denial };
                assert_eq!(Message::read(&message.to_string()), Some(message));
            }
            let larger = Larger { kind: answer.kind(), limit: 1232 };
            assert_eq!(Larger::read(&larger.to_string()), Some(larger));
        }
        for phase in Phase::ALL {
            for quantile in Quantile::ALL {
                let subject = format!("{phase} {quantile}");
                assert_eq!(in_phase(&subject, Quantile::from_word), Some((phase, quantile)));
            }
        }
        for signed in Signed::ALL {
            for cost in Cost::ALL {
                let at = AtLevel { signed, cost };
                assert_eq!(AtLevel::read(&at.to_string()), Some(at));
            }
        }
        let message = Message { answer: Answer::NxdomainTypical, denial: Some(Denial::Nsec3) };
        assert_eq!(message.to_string(), "nxdomain typical nsec3");
        for subject in [
            "zsk-pre-publication 1 new-dnskey",
            "zsk-pre-publication 1 new-dnskey nsec3",
            "algorithm-liberal/hasty 2 new-ds 5.1",
            "algorithm-liberal/hasty 2 new-ds nsec3-opt-out 5.1",
        ] {
            assert_eq!(Stage::read(subject).map(|stage| stage.to_string()).as_deref(), Some(subject));
        }
        assert_eq!(Stage::read("zsk-pre-publication 1 new-dnskey NaN"), None);
    }

    #[test]
    fn a_study_writes_nothing_that_its_study_section_does_not_know() {
        let algorithms = ["ecdsa-p256", "ml-dsa-44", "antrag-512-published", "uov-is-pkc", "uov-ip-pkc"];
        let algorithms = algorithms.map(str::to_owned).to_vec();
        writes_what_is_read(
            &[&STUDY_SECTION],
            &DnssecPart { delegations: 60, algorithms, ..DnssecPart::default() },
            is_known,
        );
    }
}
