//! Queries as a table: moment, client, name, type.
//!
//! ```csv
//! time,client,name,type
//! 0.000,192.0.2.7,www.example.,A
//! 0.013,192.0.2.9,example.,DNSKEY
//! ```
//!
//! The moment is in seconds, of any beginning: the first query is sent at once. The client is any word. A first line whose moment is
//! a word and no number is the heading. Cells may stand in quotes (RFC 4180), and a byte order mark before all.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::text::question;
use super::{Lines, ReadError, open_again, shown};
use crate::clients::Clients;
use crate::query::{Query, Transport};

/// The most clients that are told apart; more would be a file of something else.
const MOST_CLIENTS: usize = crate::clients::MOST_CLIENTS as usize;

/// What some programs write before text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Opens a table, which may be compressed by gzip, xz or Zstandard.
///
/// # Errors
/// [`ReadError`] if it cannot be read more than once. What is wrong with a line is said when it is read.
pub fn open(
    path: &Path,
    clients: Clients,
    transport: Transport,
) -> Result<Table<BufReader<Box<dyn Read>>>, ReadError> {
    Ok(Table::new(BufReader::new(open_again(path)?), path, clients, transport))
}

/// The queries of a table, in the order of its lines.
pub struct Table<R> {
    lines: Lines<R>,
    clients: Clients,
    transport: Transport,
    numbers: HashMap<Vec<u8>, u32>,
    first: Option<f64>,
    last: u64,
    ended: bool,
}

impl<R: BufRead> Table<R> {
    /// `path` names it in errors. What a query has beside name and type comes from its client, by the number in which
    /// clients appear.
    pub fn new(source: R, path: &Path, clients: Clients, transport: Transport) -> Table<R> {
        let lines = Lines { source, path: path.to_path_buf(), number: 0 };
        Table { lines, clients, transport, numbers: HashMap::new(), first: None, last: 0, ended: false }
    }

    fn read(&mut self) -> Result<Option<Query>, ReadError> {
        loop {
            let Some((number, line)) = self.lines.next()? else {
                let path = self.lines.path.clone();
                let remedy = "give time,client,name,type on each line".to_owned();
                return if self.first.is_none() { Err(ReadError::Empty { path, remedy }) } else { Ok(None) };
            };
            let line =
                line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(&line).trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let cells = cells(line).map_err(|what| self.lines.wrong(format!("{}: {what}", shown(line))))?;
            let [time, client, name, rtype] = &cells[..] else {
                return Err(self.lines.wrong(format!("expected time,client,name,type, not {}", shown(line))));
            };
            let seconds: Option<f64> = std::str::from_utf8(time).ok().and_then(|time| time.parse().ok());
            if number == 1 && seconds.is_none() && time.first().is_some_and(u8::is_ascii_alphabetic) {
                continue;
            }
            let Some(seconds) = seconds.filter(|seconds| seconds.is_finite()) else {
                return Err(self
                    .lines
                    .wrong(format!("invalid time {}: expected seconds, such as 0.25", shown(time))));
            };
            let at = (seconds - *self.first.get_or_insert(seconds)) * 1e9;
            if at < self.last as f64 {
                return Err(self
                    .lines
                    .wrong("it is earlier than the line before; sort the table by time".to_owned()));
            }
            self.last = at as u64;
            if self.numbers.len() >= MOST_CLIENTS {
                return Err(self
                    .lines
                    .wrong(format!("there are more than {MOST_CLIENTS} clients before it")));
            }
            let next = self.numbers.len() as u32;
            let client = *self.numbers.entry(client.to_vec()).or_insert(next);
            let question = question(name, rtype).map_err(|what| self.lines.wrong(what))?;
            let (edns, flags) = self.clients.profile(client);
            return Ok(Some(Query {
                at: self.last,
                client,
                question,
                transport: self.transport,
                edns,
                flags,
            }));
        }
    }
}

/// The cells of a line (RFC 4180, section 2): in quotes, a comma is a comma and two quotes are one.
fn cells(line: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, &'static str> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        let quoted = rest.strip_prefix(b"\"");
        let (cell, behind) = match quoted {
            Some(text) => in_quotes(text)?,
            None => {
                let (cell, behind) =
                    rest.split_at(rest.iter().position(|it| *it == b',').unwrap_or(rest.len()));
                (cell.trim_ascii_end().into(), behind)
            }
        };
        found.push(cell);
        rest = match behind.trim_ascii_start() {
            [] => return Ok(found),
            [b',', more @ ..] => more,
            _ => return Err("the closing quote of a cell is not followed by a comma"),
        };
    }
}

/// What stands in quotes, of which the first is read already, and what stands behind them.
fn in_quotes(text: &[u8]) -> Result<(Cow<'_, [u8]>, &[u8]), &'static str> {
    let mut cell = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.iter().position(|octet| *octet == b'"');
        let (part, behind) = rest.split_at(end.ok_or("the quotes of a cell are not closed in its line")?);
        cell.extend_from_slice(part);
        match behind {
            [b'"', b'"', more @ ..] => {
                cell.push(b'"');
                rest = more;
            }
            _ => return Ok((cell.into(), behind.get(1..).unwrap_or_default())),
        }
    }
}

impl<R: BufRead> Iterator for Table<R> {
    type Item = Result<Query, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read().transpose();
        self.ended = !matches!(read, Some(Ok(_)));
        read
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Result<Vec<Query>, ReadError> {
        let clients = Clients::new(1, 1).expect("a client");
        Table::new(text, "t".as_ref(), clients, Transport::Udp).collect()
    }

    #[test]
    fn clients_and_gaps_are_kept() -> Result<(), ReadError> {
        let text = "time,client,name,type\n100.5,::1,a.,A\n100.75,192.0.2.1,\"b.\",NS\n101.5,::1,c,AAAA\n";
        let queries = read(text.as_bytes())?;
        let seen: Vec<_> =
            queries.iter().map(|query| (query.at, query.client, query.question.name().to_string())).collect();
        let expected = [(0, 0, "a."), (250_000_000, 1, "b."), (1_000_000_000, 0, "c.")];
        assert_eq!(seen, expected.map(|(at, client, name)| (at, client, name.to_owned())));
        Ok(())
    }

    /// As spreadsheets write it: with a mark before it, and cells in quotes, of which one has a comma and quotes.
    #[test]
    fn marks_and_quotes() -> Result<(), ReadError> {
        let text = "\u{feff}\"time\",\"client\",\"name\",\"type\"\r\n\"1\" , \"Smith, \"\"J\"\"\",\"a\"\"b.\",\"A\"\r\n2,\"Smith, \"\"J\"\"\",c.,A\r\n";
        let queries = read(text.as_bytes())?;
        let seen: Vec<_> =
            queries.iter().map(|query| (query.client, query.question.name().to_string())).collect();
        assert_eq!(seen, [(0, "a\\\"b.".to_owned()), (0, "c.".to_owned())]);
        assert_eq!(read("\u{feff}1,a,b.,A".as_bytes())?.len(), 1);
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, part) in [
            ("1,a,b.,A\n0.5,a,b.,A", "t, line 2: "),
            ("1,a,b.,A\nx,a,b.,A", "t, line 2: invalid time 'x': "),
            ("0.0.5,a,b.,A\n1,a,b.,A", "t, line 1: invalid time '0.0.5': "),
            ("1,a,b.,A\nNaN,a,b.,A", "t, line 2: invalid time 'NaN': "),
            ("nan,a,b.,A\n1,a,b.,A", "t, line 1: invalid time 'nan': "),
            ("inf,a,b.,A", "t, line 1: invalid time 'inf': "),
            ("1,\"a,b.,A", "t, line 1: "),
            ("1,\"a\"b,b.,A", "t, line 1: "),
            ("1,a,\u{feff}b.,A\n\u{feff}2,a,b.,A", "t, line 2: "),
            ("1,a,b.", "'1,a,b.'"),
            ("1,a,b.,NOTYPE", "t, line 1: invalid type 'NOTYPE': "),
            ("time,client,name,type\n", "t "),
        ] {
            let error = read(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "([0-9.e-]{1,9},[a-z\"]{0,3},[a-z.\\\\]{0,9},[A-Z]{1,5}\n){0,9}.{0,20}") {
            if let Ok(queries) = read(text.as_bytes()) {
                prop_assert!(queries.is_sorted_by_key(|query| query.at));
            }
        }
    }
}
