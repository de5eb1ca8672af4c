//! Which algorithms there are, what is known of them, and who implements them.
//!
//! Names are found however they are spelled ("ML-DSA-44", "mldsa44"), and a name of something else finds nothing:
//! ft_error_detail() then offers the nearest ones. Facts are texts for people, as `fieldtest show` prints them, and what a
//! program needs as a number is given as one. Which facts, sizes and numbers there are may grow.

use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::LazyLock;

use fieldtest_catalog::kind::{Cipher, Hash, Kind, KindFacts, Mac, Signature};
use fieldtest_catalog::{self as catalog, Entry, KatError, KatResult, Unserved, Wanted, host};

use crate::engine;
use crate::error::{FT_EKIND, FT_ENOCODE, FT_EPROOF, FT_EUNKNOWN, Failure, c_text, call, value};
use crate::handle::{Handle, Tagged, borrow, owned, tagged};
use crate::memory::{put, text};

/// A kind of algorithm: digital signatures.
pub const FT_SIGNATURE: c_int = 1;
/// A kind of algorithm: message authentication codes with their key derivation.
pub const FT_MAC: c_int = 2;
/// A kind of algorithm: hash functions.
pub const FT_HASH: c_int = 3;
/// A kind of algorithm: ciphers of storage.
pub const FT_CIPHER: c_int = 4;

/// An algorithm: what is known of it, and its implementations. The library owns it.
pub struct Algorithm {
    _opaque: [u8; 0],
}

/// Code for an algorithm. The library owns it.
pub struct Implementation {
    _opaque: [u8; 0],
}

/// Behind [`Algorithm`]: what C asks for, in the form in which C has it.
pub(crate) struct Facts {
    name: CString,
    kind: c_int,
    level: c_int,
    sizes: Vec<(&'static str, usize)>,
    numbers: Vec<(String, u32)>,
    facts: Vec<(CString, CString)>,
    notes: Vec<[CString; 4]>,
    implementations: Vec<Tagged<Code>>,
    serve: Box<Serve>,
}

/// The name of the implementation that serves.
type Serve = dyn Fn(Wanted<'_>) -> Result<&'static str, Unserved> + Send + Sync;

/// Behind [`Implementation`].
pub(crate) struct Code {
    /// As the catalog has it.
    known_as: &'static str,
    name: CString,
    version: CString,
    code: Operations,
    prove: Box<dyn Fn() -> Result<KatResult, KatError> + Send + Sync>,
}

/// What an implementation does, by its kind.
#[derive(Clone, Copy)]
enum Operations {
    Signature(&'static <Signature as Kind>::Code),
    Mac(&'static <Mac as Kind>::Code),
    Hash(&'static <Hash as Kind>::Code),
    Cipher(&'static <Cipher as Kind>::Code),
}

impl Handle for Algorithm {
    type Inner = Facts;
    const TAG: [u8; 8] = *b"ft-algor";
}

impl Handle for Implementation {
    type Inner = Code;
    const TAG: [u8; 8] = *b"ft-imple";
}

/// The operations of an implementation, if it is of that kind.
macro_rules! operations {
    ($($name:ident $kind:ident $wanted:literal;)*) => {
        impl Code {
            $(#[inline]
            pub(crate) fn $name(&self) -> Result<&'static <$kind as Kind>::Code, Failure> {
                match self.code {
                    Operations::$kind(code) => Ok(code),
                    _ => Err(Failure::new(FT_EKIND, concat!("the algorithm is no ", $wanted))),
                }
            })*
        }
    };
}
operations! {
    signature Signature "signature";
    mac Mac "MAC";
    hash Hash "hash function";
    cipher Cipher "cipher of storage";
}

static ALGORITHMS: LazyLock<Vec<Tagged<Facts>>> = LazyLock::new(|| {
    // The process belongs to somebody else, who has not asked for its host's other libraries.
    host::look_only_for([]);
    engine::attach_of_environment();
    let mut all = Vec::new();
    add::<Signature>(&mut all, FT_SIGNATURE, Operations::Signature);
    add::<Mac>(&mut all, FT_MAC, Operations::Mac);
    add::<Hash>(&mut all, FT_HASH, Operations::Hash);
    add::<Cipher>(&mut all, FT_CIPHER, Operations::Cipher);
    all
});

fn add<K: Kind>(all: &mut Vec<Tagged<Facts>>, kind: c_int, operations: fn(&'static K::Code) -> Operations)
where
    catalog::Algorithm<K>: Sync,
{
    for algorithm in K::all() {
        let code = |it: &'static catalog::Implementation<K>| {
            tagged::<Implementation>(Code {
                known_as: it.name,
                name: c_text(it.name),
                version: c_text(&it.version),
                code: operations(it.code.as_ref()),
                prove: Box::new(|| it.kat()),
            })
        };
        let note = |note: &catalog::facts::Note| {
            [&note.date, note.severity.word(), &note.text, &note.source].map(c_text)
        };
        all.push(tagged::<Algorithm>(Facts {
            name: c_text(&algorithm.facts.name),
            kind,
            level: algorithm.facts.kind.level().map_or(0, c_int::from),
            sizes: algorithm.facts.kind.sizes(),
            numbers: algorithm.facts.kind.numbers(),
            facts: texts(&algorithm),
            notes: algorithm.facts.notes.iter().map(note).collect(),
            implementations: algorithm.implementations.iter().map(code).collect(),
            serve: Box::new(|wanted| algorithm.served(wanted).map(|it| it.name)),
        }));
    }
}

fn texts(entry: &dyn Entry) -> Vec<(CString, CString)> {
    let common = [
        ("title", entry.title()),
        ("kind", entry.kind()),
        ("family", entry.family()),
        ("status", entry.status().word()),
        ("standard", entry.standard()),
        ("hardness", entry.hardness()),
    ];
    let own = entry.details();
    let all = common.into_iter().chain(own.iter().map(|(fact, text)| (fact.as_str(), text.as_str())));
    all.map(|(fact, text)| (c_text(fact), c_text(text))).collect()
}

fn none(what: &str, asked: &str) -> Failure {
    Failure::new(FT_EUNKNOWN, format!("there is no {what} '{asked}'"))
}

/// How many algorithms there are, of all kinds.
#[unsafe(no_mangle)]
pub extern "C" fn ft_algorithm_count() -> usize {
    value(0, || Ok(ALGORITHMS.len()))
}

/// The algorithm at a place from 0, in the catalog's order: kind by kind, the most settled first. NULL behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn ft_algorithm_at(place: usize) -> *const Algorithm {
    value(ptr::null(), || {
        let found = ALGORITHMS.get(place).ok_or_else(|| none("algorithm at place", &place.to_string()))?;
        Ok(owned(found))
    })
}

/// Finds an algorithm by its name.
///
/// Returns FT_EUNKNOWN where nothing has that name, and FT_EENGINE where that may be since what FIELDTEST_ENGINES names could not be
/// attached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_find(name: *const c_char, algorithm: *mut *const Algorithm) -> c_int {
    call(|| {
        // SAFETY: a text, as this function asks for.
        let name = unsafe { text(name) }?;
        let entry = {
            LazyLock::force(&ALGORITHMS);
            catalog::entry(name).map_err(|error| engine::missing(error.to_string()))?
        };
        let found = ALGORITHMS.iter().find(|it| it.inner.name.as_bytes() == entry.name().as_bytes());
        let found = found.ok_or_else(|| none("algorithm", name))?;
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { put(algorithm, owned(found)) }
    })
}

/// Finds an algorithm by its number in a registry: "dnssec-iana" and "dnssec-private" have the algorithm numbers of DNSSEC, those
/// that are assigned and those that fieldtest uses meanwhile; "git" has the object formats of Git.
///
/// Returns FT_EUNKNOWN where nothing has that number there, or FT_EENGINE as ft_algorithm_find() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_find_number(
    registry: *const c_char,
    number: u32,
    algorithm: *mut *const Algorithm,
) -> c_int {
    call(|| {
        // SAFETY: a text, as this function asks for.
        let registry = unsafe { text(registry) }?;
        let has = |(table, known): &(String, u32)| table == registry && *known == number;
        let found = ALGORITHMS.iter().find(|it| it.inner.numbers.iter().any(has));
        let missing = || engine::missing(format!("there is no number {number} in the registry '{registry}'"));
        let found = found.ok_or_else(missing)?;
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { put(algorithm, owned(found)) }
    })
}

/// The algorithm's name, such as "ml-dsa-44". NULL if this is no algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_name(algorithm: *const Algorithm) -> *const c_char {
    // SAFETY: a handle, as this function asks for.
    value(ptr::null(), || Ok(unsafe { borrow(algorithm) }?.name.as_ptr()))
}

/// The algorithm's kind: FT_SIGNATURE, FT_MAC, FT_HASH or FT_CIPHER. 0 if this is no algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_kind(algorithm: *const Algorithm) -> c_int {
    // SAFETY: a handle, as this function asks for.
    value(0, || Ok(unsafe { borrow(algorithm) }?.kind))
}

/// The NIST post-quantum security category that is claimed, from 1 to 5. 0 where none is, or if this is no algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_level(algorithm: *const Algorithm) -> c_int {
    // SAFETY: a handle, as this function asks for.
    value(0, || Ok(unsafe { borrow(algorithm) }?.level))
}

/// A size in bytes by its name: "public-key", "secret-key" and "signature", "tag" and "traffic-key", "digest", or "key" and "tweak".
/// Where a length varies it is the largest, but for secret keys of RSA, whose size is typical.
///
/// Returns FT_EUNKNOWN where the algorithm has no such size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_size(
    algorithm: *const Algorithm,
    name: *const c_char,
    size: *mut usize,
) -> c_int {
    call(|| {
        // SAFETY: a handle and a text, as this function asks for.
        let (algorithm, name) = unsafe { (borrow(algorithm)?, text(name)?) };
        let found = algorithm.sizes.iter().find(|(known, _)| *known == name);
        // SAFETY: a place for a number, as this function asks for.
        unsafe { put(size, found.ok_or_else(|| none("size", name))?.1) }
    })
}

/// The algorithm's number in a registry; ft_algorithm_find_number() has their names.
///
/// Returns FT_EUNKNOWN where it has none there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_number(
    algorithm: *const Algorithm,
    registry: *const c_char,
    number: *mut u32,
) -> c_int {
    call(|| {
        // SAFETY: a handle and a text, as this function asks for.
        let (algorithm, registry) = unsafe { (borrow(algorithm)?, text(registry)?) };
        let found = algorithm.numbers.iter().find(|(table, _)| table == registry);
        // SAFETY: a place for a number, as this function asks for.
        unsafe { put(number, found.ok_or_else(|| none("number in the registry", registry))?.1) }
    })
}

/// A fact by its name, such as "title", "family", "status", "standard" or "hardness". The library owns the text.
///
/// Returns FT_EUNKNOWN where none is stated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_fact(
    algorithm: *const Algorithm,
    name: *const c_char,
    fact: *mut *const c_char,
) -> c_int {
    call(|| {
        // SAFETY: a handle and a text, as this function asks for.
        let (algorithm, name) = unsafe { (borrow(algorithm)?, text(name)?) };
        let found = algorithm.facts.iter().find(|(known, _)| known.as_bytes() == name.as_bytes());
        // SAFETY: a place for a text, as this function asks for.
        unsafe { put(fact, found.ok_or_else(|| none("fact", name))?.1.as_ptr()) }
    })
}

/// The fact at a place from 0, with its name. The library owns both texts.
///
/// Returns FT_EUNKNOWN behind the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_fact_at(
    algorithm: *const Algorithm,
    place: usize,
    name: *mut *const c_char,
    fact: *mut *const c_char,
) -> c_int {
    call(|| {
        // SAFETY: a handle, as this function asks for.
        let algorithm = unsafe { borrow(algorithm) }?;
        let found = algorithm.facts.get(place).ok_or_else(|| none("fact at place", &place.to_string()))?;
        // SAFETY: places for texts, as this function asks for.
        unsafe {
            put(name, found.0.as_ptr())?;
            put(fact, found.1.as_ptr())
        }
    })
}

/// The dated remark on the algorithm's security at a place from 0, the newest first: its date, "info", "changed" (the specification
/// changed because of an attack), "warning" or "broken", one sentence, and where it is published. The library owns the texts.
///
/// Returns FT_EUNKNOWN behind the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_algorithm_note_at(
    algorithm: *const Algorithm,
    place: usize,
    date: *mut *const c_char,
    severity: *mut *const c_char,
    sentence: *mut *const c_char,
    source: *mut *const c_char,
) -> c_int {
    call(|| {
        // SAFETY: a handle, as this function asks for.
        let algorithm = unsafe { borrow(algorithm) }?;
        let note = algorithm.notes.get(place).ok_or_else(|| none("note at place", &place.to_string()))?;
        for (place, text) in [date, severity, sentence, source].into_iter().zip(note) {
            // SAFETY: places for texts, as this function asks for.
            unsafe { put(place, text.as_ptr()) }?;
        }
        Ok(())
    })
}

/// How many implementations the algorithm has; 0 where only facts are known, or if this is no algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_count(algorithm: *const Algorithm) -> usize {
    // SAFETY: a handle, as this function asks for.
    value(0, || Ok(unsafe { borrow(algorithm) }?.implementations.len()))
}

/// The algorithm's implementation at a place from 0. NULL behind the last, or if this is no algorithm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_at(
    algorithm: *const Algorithm,
    place: usize,
) -> *const Implementation {
    value(ptr::null(), || {
        // SAFETY: a handle, as this function asks for; the library's own live as long as the process.
        let algorithm: &'static Facts = unsafe { borrow(algorithm) }?;
        let found = algorithm.implementations.get(place);
        Ok(owned(found.ok_or_else(|| none("implementation at place", &place.to_string()))?))
    })
}

/// Finds the algorithm's implementation by its name, such as "aws-lc"; with NULL for the name, the one that the catalog
/// thinks best.
///
/// Returns FT_EUNKNOWN where the algorithm has none of that name, and FT_ENOCODE where it has none at all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_find(
    algorithm: *const Algorithm,
    name: *const c_char,
    implementation: *mut *const Implementation,
) -> c_int {
    call(|| {
        // SAFETY: a handle, as this function asks for; the library's own live as long as the process.
        let algorithm: &'static Facts = unsafe { borrow(algorithm) }?;
        let wanted = match name.is_null() {
            true => Wanted::Any,
            // SAFETY: a text, as this function asks for.
            false => Wanted::Only(unsafe { text(name) }?),
        };
        let serving = (algorithm.serve)(wanted).map_err(|error| {
            let code = if matches!(error, Unserved::UnknownName(_)) { FT_EUNKNOWN } else { FT_ENOCODE };
            Failure::new(code, error.to_string())
        })?;
        let found = algorithm.implementations.iter().find(|it| it.inner.known_as == serving);
        // SAFETY: a place for a handle, as this function asks for.
        unsafe { put(implementation, owned(found.ok_or_else(|| none("implementation", serving))?)) }
    })
}

/// The implementation's name, such as "aws-lc". NULL if this is no implementation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_name(implementation: *const Implementation) -> *const c_char {
    // SAFETY: a handle, as this function asks for.
    value(ptr::null(), || Ok(unsafe { borrow(implementation) }?.name.as_ptr()))
}

/// The version that the implementation states of itself. NULL if this is no implementation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_version(implementation: *const Implementation) -> *const c_char {
    // SAFETY: a handle, as this function asks for.
    value(ptr::null(), || Ok(unsafe { borrow(implementation) }?.version.as_ptr()))
}

/// Reproduces the algorithm's official known answers with this very code, in this process, and says how many they were; 0 where
/// there are none. It may take seconds.
///
/// Returns FT_EPROOF if an answer is not reproduced; ft_error_detail() says which.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_implementation_prove(
    implementation: *const Implementation,
    answers: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: a handle, as this function asks for.
        let implementation = unsafe { borrow(implementation) }?;
        let proof = (implementation.prove)().map_err(|error| Failure::new(FT_EPROOF, error.to_string()))?;
        // SAFETY: a place for a number, as this function asks for.
        unsafe { put(answers, proof.vectors) }
    })
}
