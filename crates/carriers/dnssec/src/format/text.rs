//! Presentation format: zone files as people write them (RFC 1035, section 5; RFC 2308, section 4 for `$TTL`).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::generate::{self, Range};
use super::scan::{Entry, Scanner, Stop};
use crate::name::{self, CasedName, Name};
use crate::rdata::{self, Token};
use crate::remedied;
use crate::rtype::Rtype;
use crate::zone::ZoneBuilder;

/// Why a file could not be read as a zone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ReadError {
    /// The file system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The text is no zone file.
    #[error("cannot read {}, line {line}: {what}{}", path.display(), remedied(what, "correct the line"))]
    Syntax { path: PathBuf, line: u64, what: String },
    #[error("cannot read {}, byte {at}: {what}{}", path.display(), remedied(what, "write the file again"))]
    Raw { path: PathBuf, at: u64, what: String },
    /// The records do not make a zone.
    #[error("cannot use {} as a zone: {source}", path.display())]
    Zone { path: PathBuf, source: crate::zone::ZoneError },
}

/// Included files may include others this deep.
const MAX_INCLUDES: usize = 16;
/// Files that a zone may include in all, so that a few files that include each other often come to an end.
const MAX_INCLUDED: usize = 1 << 16;

/// Reads `source`, which came from `path`, into `builder`. `origin` completes relative names until `$ORIGIN` does.
pub fn read(
    source: impl Read,
    path: &Path,
    origin: Option<Name>,
    builder: &mut ZoneBuilder,
) -> Result<(), ReadError> {
    let origin = origin.map(CasedName::from);
    let spent = Spent::default();
    Reader { path, origin, default_ttl: None, last_ttl: None, last_owner: None, depth: 0, spent }
        .run(source, builder)
}

struct Reader<'p> {
    path: &'p Path,
    /// With the case it was written in, which relative names in NSEC records inherit.
    origin: Option<CasedName>,
    default_ttl: Option<u32>,
    last_ttl: Option<u32>,
    last_owner: Option<Name>,
    depth: usize,
    spent: Spent,
}

/// What directives have cost so far, with those of included files.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    included: usize,
    generated: u64,
    /// Octets of their names and RDATA.
    octets: u64,
}

impl Reader<'_> {
    fn run(&mut self, source: impl Read, builder: &mut ZoneBuilder) -> Result<(), ReadError> {
        let mut scanner = Scanner::new(source);
        let mut rdata = Vec::new();
        loop {
            let entry = match scanner.entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(()),
                Err(Stop::Syntax { line, what }) => return Err(self.fault(line, what)),
                Err(Stop::Io(source)) => return Err(ReadError::Io { path: self.path.to_path_buf(), source }),
            };
            if entry.tokens[0].text.starts_with(b"$") && !entry.tokens[0].quoted && !entry.indented {
                self.directive(&entry, builder)?;
            } else {
                self.record(&entry, &mut rdata, builder).map_err(|what| self.fault(entry.line, what))?;
            }
        }
    }

    fn fault(&self, line: u64, what: String) -> ReadError {
        ReadError::Syntax { path: self.path.to_path_buf(), line, what }
    }

    fn directive(&mut self, entry: &Entry<'_>, builder: &mut ZoneBuilder) -> Result<(), ReadError> {
        let fault = |what: String| self.fault(entry.line, what);
        let [keyword, arguments @ ..] = &entry.tokens[..] else { return Ok(()) };
        match (keyword.text.to_ascii_uppercase().as_slice(), arguments) {
            (b"$ORIGIN", [origin]) => {
                let origin = origin.bare("an origin").map_err(fault)?;
                let origin = CasedName::parse(origin, self.origin.as_ref());
                self.origin = Some(origin.map_err(|e| fault(e.to_string()))?);
            }
            (b"$TTL", [ttl]) => {
                let seconds = rdata::ttl(ttl.bare("a TTL").map_err(fault)?);
                let seconds = seconds.ok_or_else(|| ttl.not("a time in seconds"));
                self.default_ttl = Some(seconds.map_err(fault)?);
            }
            (b"$INCLUDE", [file, origin @ ..]) if origin.len() <= 1 => {
                if self.depth >= MAX_INCLUDES {
                    return Err(fault("$INCLUDE is nested more than 16 levels deep; remove the loop".into()));
                }
                if self.spent.included == MAX_INCLUDED {
                    return Err(fault(format!("more than {MAX_INCLUDED} files are included")));
                }
                let named = file.utf8().ok_or_else(|| fault(file.not("a file name")))?;
                let path = self.path.parent().unwrap_or(Path::new("")).join(named);
                let origin = match origin {
                    [origin] => Some(
                        CasedName::parse(origin.text, self.origin.as_ref())
                            .map_err(|e| fault(e.to_string()))?,
                    ),
                    _ => self.origin,
                };
                let refused =
                    |why: &dyn std::fmt::Display| fault(format!("cannot include {}: {why}", path.display()));
                // A FIFO or a device might never end, and a directive must not be able to wait for one.
                match std::fs::metadata(&path) {
                    Ok(metadata) if metadata.is_file() => {}
                    Ok(_) => return Err(refused(&"it is not a regular file")),
                    Err(error) => return Err(refused(&error)),
                }
                let source = File::open(&path).map_err(|error| refused(&error))?;
                builder.note_included(&path);
                let mut included = Reader {
                    path: &path,
                    origin,
                    default_ttl: self.default_ttl,
                    last_ttl: self.last_ttl,
                    last_owner: self.last_owner,
                    depth: self.depth + 1,
                    spent: Spent { included: self.spent.included + 1, ..self.spent },
                };
                included.run(source, builder)?;
                // Origin and owner are as before (RFC 1035, section 5.1), but $TTL is for all that follows (RFC 2308,
                // section 4), in BIND as well.
                (self.default_ttl, self.last_ttl) = (included.default_ttl, included.last_ttl);
                self.spent = included.spent;
            }
            (b"$GENERATE", [range, owner, record @ ..]) if !record.is_empty() => {
                self.generate(range, owner, record, builder).map_err(|what| self.fault(entry.line, what))?;
            }
            // BIND writes it into caches; for a zone it means nothing.
            (b"$DATE", [_]) => {}
            (b"$GENERATE", _) => {
                return Err(fault("$GENERATE needs a range, an owner name, a type and RDATA".into()));
            }
            (b"$ORIGIN" | b"$TTL" | b"$INCLUDE" | b"$DATE", _) => {
                return Err(fault(format!("{} has the wrong number of arguments", keyword.shown())));
            }
            _ => return Err(fault(format!("unknown directive {}", keyword.shown()))),
        }
        Ok(())
    }

    fn record(
        &mut self,
        entry: &Entry<'_>,
        rdata: &mut Vec<u8>,
        builder: &mut ZoneBuilder,
    ) -> Result<(), String> {
        let mut tokens = &entry.tokens[..];
        let owner = if entry.indented {
            self.last_owner.ok_or("the first record has no owner name")?
        } else {
            let owner = CasedName::parse(tokens[0].text, self.origin.as_ref()).map_err(|e| e.to_string())?;
            tokens = &tokens[1..];
            owner.lower()
        };
        self.last_owner = Some(owner);
        let Head { ttl, rtype, rdata: tokens } = head(tokens, &owner)?;
        rdata.clear();
        rdata::parse(rtype, tokens, self.origin.as_ref(), rdata)?;
        let ttl = match ttl.or(self.default_ttl).or(self.last_ttl) {
            Some(ttl) => ttl,
            // RFC 1035 knew the SOA's minimum as the default; files without $TTL still count on it.
            None if rtype == Rtype::SOA => soa_minimum(rdata),
            None => return Err(no_ttl(&owner)),
        };
        self.last_ttl = Some(ttl);
        builder.push_checked(&owner, rtype, ttl, rdata);
        Ok(())
    }

    /// Adds the records of a `$GENERATE` line. RDATA of several words may stand in quotes, which are not part of it.
    fn generate(
        &mut self,
        range: &Token<'_>,
        owner: &Token<'_>,
        record: &[Token<'_>],
        builder: &mut ZoneBuilder,
    ) -> Result<(), String> {
        let range = Range::parse(range)?;
        self.spent.generated = self.spent.generated.saturating_add(range.len());
        if self.spent.generated > generate::MOST_RECORDS {
            return Err(format!(
                "$GENERATE makes more than {} records in this zone, the limit; expand it with \
                 'named-compilezone -F raw' if that is intended",
                generate::MOST_RECORDS
            ));
        }
        let Head { ttl, rtype, rdata: tokens } = head(record, &owner.shown())?;
        let ttl = ttl.or(self.default_ttl).or(self.last_ttl).ok_or_else(|| no_ttl(&owner.shown()))?;
        let template = match tokens {
            [Token { text, quoted: true }] => text.to_vec(),
            many => many.iter().fold(Vec::new(), |mut text, token| {
                let quote: &[u8] = if token.quoted { b"\"" } else { b"" };
                text.extend_from_slice(&[quote, token.text, quote, b" "].concat());
                text
            }),
        };
        let (mut text, mut rdata) = (Vec::new(), Vec::new());
        for number in range.numbers() {
            text.clear();
            generate::expand(owner.text, number, &mut text)?;
            let owner = CasedName::parse(&text, self.origin.as_ref()).map_err(|e| e.to_string())?.lower();
            text.clear();
            generate::expand(&template, number, &mut text)?;
            rdata.clear();
            let mut scanner = Scanner::new(&text[..]);
            let entry = scanner.entry().map_err(|stop| match stop {
                Stop::Syntax { what, .. } => what,
                Stop::Io(error) => error.to_string(),
            })?;
            let tokens = entry.map_or_else(Vec::new, |entry| entry.tokens);
            rdata::parse(rtype, &tokens, self.origin.as_ref(), &mut rdata)?;
            self.spent.octets += (owner.as_wire().len() + rdata.len()) as u64;
            if self.spent.octets > generate::MOST_OCTETS {
                return Err("$GENERATE makes more than 256 MiB of names and RDATA in this zone".to_owned());
            }
            builder.push_checked(&owner, rtype, ttl, &rdata);
        }
        self.last_ttl = Some(ttl);
        Ok(())
    }
}

/// What stands between a record's owner and its RDATA.
struct Head<'t, 'a> {
    ttl: Option<u32>,
    rtype: Rtype,
    rdata: &'t [Token<'a>],
}

/// Reads TTL and class, which come in either order and may be missing, and the type.
fn head<'t, 'a>(mut tokens: &'t [Token<'a>], owner: &dyn std::fmt::Display) -> Result<Head<'t, 'a>, String> {
    let (mut ttl, mut class_seen) = (None, false);
    let rtype = loop {
        let [token, rest @ ..] = tokens else {
            return Err(format!("the record of {owner} has no type"));
        };
        tokens = rest;
        let text = token.bare("a TTL, a class or a type")?;
        let class = |called: &[u8]| !class_seen && text.eq_ignore_ascii_case(called);
        if class(b"IN") || class(b"CLASS1") {
            class_seen = true;
        } else if class(b"CH") || class(b"HS") {
            return Err(format!("class {} is not supported; only IN is signed", token.shown()));
        } else if let (None, Some(seconds)) = (ttl, rdata::ttl(text)) {
            ttl = Some(seconds);
        } else {
            break Rtype::parse(text).ok_or_else(|| {
                let shown = token.shown();
                match ttl.is_none() && text.iter().all(u8::is_ascii_digit) {
                    true => format!(
                        "invalid TTL '{shown}': expected at most 2147483647 seconds (RFC 2181, section 8)"
                    ),
                    false => format!("unknown record type '{shown}'; write it as TYPE123 (RFC 3597)"),
                }
            })?;
        }
    };
    match rtype.not_in_zones() {
        Some(why) => Err(why),
        None => Ok(Head { ttl, rtype, rdata: tokens }),
    }
}

fn no_ttl(owner: &dyn std::fmt::Display) -> String {
    format!("the record of {owner} has no TTL, and no $TTL precedes it")
}

/// The last field of SOA RDATA: the negative caching time (RFC 2308, section 4).
pub(crate) fn soa_minimum(rdata: &[u8]) -> u32 {
    rdata.last_chunk().map_or(0, |last| u32::from_be_bytes(*last))
}

/// Appends one record as a line. RDATA that does not fit its type is written in the form of RFC 3597.
pub fn push_record(owner: &[u8], ttl: u32, rtype: Rtype, rdata: &[u8], out: &mut Vec<u8>) {
    name::push_text(owner, out);
    out.push(b' ');
    rdata::push_number(ttl, out);
    out.extend_from_slice(b" IN ");
    rtype.push_text(out);
    out.push(b' ');
    push_rdata(rtype, rdata, out);
    out.push(b'\n');
}

/// Appends RDATA as text, in the form of RFC 3597 where it does not fit its type.
pub fn push_rdata(rtype: Rtype, rdata: &[u8], out: &mut Vec<u8>) {
    let at = out.len();
    if rdata::push_text(rtype, rdata, out).is_err() {
        out.truncate(at);
        // Type 0 is reserved and has no field table, so this writes the opaque form.
        let _ = rdata::push_text(Rtype(0), rdata, out);
    }
}
