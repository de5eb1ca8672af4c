//! The catalog without regard to kinds: what a listing shows and what can be proven.

use crate::facts::{Checked, Cyclonedx, Note, OtherNames, Status};
use crate::kind::{Aead, Cipher, Hash, Kind, KindFacts, Mac, Signature};
use crate::names::{self, Known, Meant};
use crate::{Algorithm, KatError, KatResult, UnknownName, host, is_attached};

/// An algorithm of any kind.
pub trait Entry: Sync {
    /// The name users type.
    fn name(&self) -> &'static str;
    /// The name people write.
    fn title(&self) -> &'static str;
    /// What else people call it.
    fn other_names(&self) -> &'static OtherNames;
    /// The family's name as people write it.
    fn family(&self) -> &'static str;
    /// The word for its kind.
    fn kind(&self) -> &'static str;
    /// Where it stands on its way.
    fn status(&self) -> Status;
    /// The document that defines it.
    fn standard(&self) -> &'static str;
    /// The problem it rests on.
    fn hardness(&self) -> &'static str;
    /// NIST post-quantum security category, where one is claimed.
    fn level(&self) -> Option<u8>;
    /// Dated remarks on its security, newest first.
    fn notes(&self) -> &'static [Note];
    /// When what moves was last looked up, and where.
    fn checked(&self) -> Option<&'static Checked>;
    /// What inventories of cryptography call it.
    fn cyclonedx(&self) -> Option<&'static Cyclonedx>;
    /// Bits of security against classical attacks, where they are stated.
    fn strength(&self) -> Option<u16>;
    /// Whether it is meant to withstand a quantum computer, where that is stated.
    fn post_quantum(&self) -> Option<bool>;
    /// The mode of a cipher: `XTS`.
    fn mode(&self) -> Option<&'static str>;
    /// Sizes in bytes by name.
    fn sizes(&self) -> Vec<(&'static str, usize)>;
    /// What its kind's own facts say, as pairs of words.
    fn details(&self) -> Vec<(String, String)>;
    /// Name and version of each implementation.
    fn implementations(&self) -> Vec<(&'static str, &'static str)>;
    /// Proves one implementation by its place among [`implementations`](Self::implementations).
    ///
    /// # Panics
    /// If there is none at that place.
    fn prove(&self, implementation: usize) -> Result<KatResult, KatError>;
}

impl<K: Kind> Entry for &'static Algorithm<K>
where
    Algorithm<K>: Sync,
{
    fn name(&self) -> &'static str {
        &self.facts.name
    }
    fn title(&self) -> &'static str {
        &self.facts.title
    }
    fn other_names(&self) -> &'static OtherNames {
        &self.facts.names
    }
    fn family(&self) -> &'static str {
        &self.facts.family
    }
    fn kind(&self) -> &'static str {
        K::WORD
    }
    fn status(&self) -> Status {
        self.facts.status
    }
    fn standard(&self) -> &'static str {
        &self.facts.standard
    }
    fn hardness(&self) -> &'static str {
        &self.facts.hardness
    }
    fn level(&self) -> Option<u8> {
        self.facts.kind.level()
    }
    fn notes(&self) -> &'static [Note] {
        &self.facts.notes
    }
    fn checked(&self) -> Option<&'static Checked> {
        self.facts.checked.as_ref()
    }
    fn cyclonedx(&self) -> Option<&'static Cyclonedx> {
        self.facts.cyclonedx.as_ref()
    }
    fn strength(&self) -> Option<u16> {
        self.facts.kind.strength()
    }
    fn post_quantum(&self) -> Option<bool> {
        self.facts.kind.post_quantum()
    }
    fn mode(&self) -> Option<&'static str> {
        self.facts.kind.mode()
    }
    fn sizes(&self) -> Vec<(&'static str, usize)> {
        self.facts.kind.sizes()
    }
    fn details(&self) -> Vec<(String, String)> {
        self.facts.kind.details()
    }
    fn implementations(&self) -> Vec<(&'static str, &'static str)> {
        let all: &'static [_] = &self.implementations;
        all.iter().map(|implementation| (implementation.name, implementation.version.as_str())).collect()
    }
    fn prove(&self, implementation: usize) -> Result<KatResult, KatError> {
        self.implementations[implementation].kat()
    }
}

/// Every algorithm of every kind, kind by kind.
pub fn entries() -> Vec<Box<dyn Entry>> {
    fn of<K: Kind>() -> impl Iterator<Item = Box<dyn Entry>>
    where
        Algorithm<K>: Sync,
    {
        K::all().iter().map(|algorithm| Box::new(algorithm) as Box<dyn Entry>)
    }
    of::<Signature>()
        .chain(of::<Mac>())
        .chain(of::<Hash>())
        .chain(of::<Cipher>())
        .chain(of::<Aead>())
        .collect()
}

/// The names of all algorithms that are [attached](crate::attach()).
pub fn attached() -> impl Iterator<Item = &'static str> {
    let mut all = entries();
    all.retain(|entry| {
        entry.implementations().into_iter().any(|(implementation, _)| is_attached(implementation))
    });
    all.into_iter().map(|entry| entry.name())
}

/// The algorithm of that name, whatever its kind and however it is spelled, or an error that offers the nearest ones.
pub fn entry(name: &str) -> Result<Box<dyn Entry>, UnknownName> {
    let mut entries = entries();
    let known: Vec<Known<'_>> = entries
        .iter()
        .map(|entry| Known { name: entry.name(), title: entry.title(), other: entry.other_names() })
        .collect();
    names::algorithm(name, &known).map(|at| entries.swap_remove(at))
}

/// What a name means among all algorithms, for whoever reads what others wrote and can ask nobody back.
pub fn called(name: &str) -> Called {
    let entries = entries();
    let known: Vec<Known<'_>> = entries
        .iter()
        .map(|entry| Known { name: entry.name(), title: entry.title(), other: entry.other_names() })
        .collect();
    let at = |places: Vec<usize>| places.into_iter().map(|at| entries[at].name()).collect();
    match names::meant(name, &known) {
        Meant::Same(place) => Called::Same(entries[place].name()),
        Meant::Wider(places) => Called::Wider(at(places)),
        Meant::Before(places) => Called::Before(at(places)),
        Meant::KeyAgreement => Called::KeyAgreement,
        Meant::Nothing => Called::Nothing,
    }
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Called {
    /// This algorithm.
    Same(&'static str),
    /// It leaves open which of these.
    Wider(Vec<&'static str>),
    /// It is what these were before they were standardized.
    Before(Vec<&'static str>),
    /// A key agreement, of which there is none here.
    KeyAgreement,
    /// Nothing that is here.
    Nothing,
}

/// The name of an implementation of any algorithm, however it is spelled, or an error that offers the nearest ones.
pub fn implementation_name(name: &str) -> Result<&'static str, UnknownName> {
    let mut known: Vec<&'static str> = Vec::new();
    for (name, _) in entries().iter().flat_map(|entry| entry.implementations()) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    names::implementation(None, name, &known).map(|at| known[at]).map_err(host::explained)
}

/// An implementation and the outcome of its proof.
pub struct Proven {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The name of the implementation that was put to the proof.
    pub implementation: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What it reproduced, or the first known answer that it did not.
    pub outcome: Result<KatResult, KatError>,
}

/// Proves every implementation whose algorithm's and own name `wanted` accepts; each is proved when the iterator
/// reaches it.
pub fn prove_all(wanted: impl Fn(&str, &str) -> bool) -> impl Iterator<Item = Proven> {
    entries().into_iter().flat_map(move |entry| {
        let chosen: Vec<_> = entry
            .implementations()
            .into_iter()
            .enumerate()
            .filter(|(_, (name, _))| wanted(entry.name(), name))
            .collect();
        chosen.into_iter().map(move |(place, (implementation, version))| Proven {
            algorithm: entry.name(),
            implementation,
            version,
            outcome: entry.prove(place),
        })
    })
}
