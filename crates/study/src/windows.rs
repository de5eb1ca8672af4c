//! Every timed window of a run as it was read, and every other reading of the rulers, so that anybody can compute its results
//! again: `windows.csv.gz`.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

use fieldtest_measure::contention::Peak;
use fieldtest_measure::record::Record;
use fieldtest_measure::worker::Seen;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The columns, as `docs/FORMAT.md` describes them.
const HEAD: &str = "study,algorithm,implementation,operation,subject,items,estimator,centre,gate,usual_chain,worker,batch,at,length,\
                    ruler_before,ruler_behind,chain,switched\n";

/// A compressed table with a row for every window.
pub struct Windows {
    table: GzEncoder<Vec<u8>>,
    end: End,
}

/// How much there is: rows, and octets before they are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct End {
    rows: u64,
    octets: u64,
}

/// Rows that were taken out.
pub(crate) struct Taken {
    text: String,
    rows: u64,
}

impl Default for Windows {
    fn default() -> Self {
        let mut windows =
            Windows { table: GzEncoder::new(Vec::new(), Compression::fast()), end: End::default() };
        windows.write(HEAD);
        windows
    }
}

impl Windows {
    /// Adds what the workers saw of what `record` is a result of; an operation has `items` of what the result is for one
    /// of, and `peak` is what the rulers read on an uncontended core; empty columns where none was seen.
    pub(crate) fn add<'a>(
        &mut self,
        record: &Record,
        items: usize,
        peak: Option<Peak>,
        workers: impl Iterator<Item = &'a Seen>,
    ) {
        let Record { study, algorithm, operation, subject, .. } = record;
        let implementation = record.implementation.as_ref().map_or("", |it| &it.name);
        let peak = columns(peak);
        let mut rows = String::new();
        for (worker, seen) in workers.enumerate() {
            let (estimator, batch) = (seen.estimator.name(), seen.known.batch);
            let same = format!(
                "{study},{algorithm},{implementation},{operation},{},{items},{estimator},{peak},{worker},{batch}",
                quoted(subject)
            );
            for window in &seen.windows {
                let [before, behind] = window.rulers;
                let (at, length, chain) = (window.at, window.length, window.chain);
                let switched = u8::from(window.switched);
                // Writing to a string does not fail.
                let _ = writeln!(rows, "{same},{at},{length},{before},{behind},{chain},{switched}");
            }
            self.end.rows += seen.windows.len() as u64;
        }
        self.write(&rows);
    }

    /// Adds readings of chain and ruler that no window has, though `peak` is of them, too.
    pub(crate) fn add_rulers(&mut self, study: &str, peak: Option<Peak>, rulers: &[[u32; 2]]) {
        let columns = columns(peak);
        let row = |[chain, ruler]: &[u32; 2]| format!("{study},,,,,,,{columns},,,,,{ruler},,{chain},\n");
        self.write(&rulers.iter().map(row).collect::<String>());
    }

    /// The table in gzip's form; nothing if no window was timed.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        // Memory takes what is written to it.
        self.table.finish().ok().filter(|_| self.end.rows > 0)
    }

    pub(crate) fn end(&self) -> End {
        self.end
    }

    #[cfg(test)]
    pub(crate) fn rows(&self) -> u64 {
        self.end.rows
    }

    /// Takes out the rows that were added since then.
    pub(crate) fn take_back(&mut self, end: End) -> Taken {
        let rows = self.end.rows - end.rows;
        let mut text = String::new();
        if self.end != end {
            // What was compressed just now is whole.
            let whole = std::mem::take(self).table.finish().unwrap_or_default();
            let _ = GzDecoder::new(&whole[..]).read_to_string(&mut text);
            let kept = text.get(..end.octets as usize).and_then(|kept| kept.strip_prefix(HEAD));
            self.write(kept.unwrap_or_default());
            text.drain(..(end.octets as usize).min(text.len()));
            self.end = end;
        }
        Taken { text, rows }
    }

    /// Adds rows again that were taken out.
    pub(crate) fn put_back(&mut self, taken: Taken) {
        self.write(&taken.text);
        self.end.rows += taken.rows;
    }

    fn write(&mut self, text: &str) {
        // Memory takes what is written to it.
        let _ = self.table.write_all(text.as_bytes());
        self.end.octets += text.len() as u64;
    }
}

/// Three columns, which are empty where no window was known to be uncontended.
fn columns(peak: Option<Peak>) -> String {
    peak.map_or_else(|| ",,".to_owned(), |Peak { centre, gate, chain }| format!("{centre},{gate},{chain}"))
}

/// A field of a comma-separated line (RFC 4180).
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use fieldtest_measure::Estimator;
    use fieldtest_measure::worker::{Known, Window};

    use super::*;

    #[test]
    fn a_row_for_every_window() {
        assert_eq!(Windows::default().into_bytes(), None);
        let window = Window { at: 5, length: 90_000, rulers: [2048, 2050], chain: 8192, switched: true };
        let seen = |windows| Seen {
            name: "it".to_owned(),
            estimator: Estimator::Median,
            known: Known { batch: 7, window: Default::default(), in_a_block: 3 },
            blocks: 1,
            spent: Default::default(),
            windows,
        };
        let record = Record {
            study: "speed".into(),
            algorithm: "sha-256".into(),
            operation: "hash".into(),
            subject: "64, \"single\"".into(),
            ..Record::default()
        };
        let text = |windows: Windows| {
            let bytes = windows.into_bytes().expect("a row");
            let mut text = String::new();
            GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip");
            text
        };
        let add = |windows: &mut Windows| {
            let peak = Some(Peak { centre: 3.987_654_3, gate: 3.9, chain: 8190.0 });
            windows.add(&record, 64, peak, [seen(vec![]), seen(vec![window])].iter());
        };
        let row = "speed,sha-256,,hash,\"64, \"\"single\"\"\",64,median,3.9876543,3.9,8190,1,7,5,90000,2048,2050,8192,1\n";
        let mut windows = Windows::default();
        add(&mut windows);
        let rulers = "speed,,,,,,,,,,,,,,2049,,8191,\n";
        windows.add_rulers("speed", None, &[[8191, 2049]]);
        // One that is made again, and one that is not.
        let end = windows.end();
        let nothing = windows.take_back(end);
        assert_eq!(nothing.text, "");
        add(&mut windows);
        let taken = windows.take_back(end);
        assert_eq!((taken.text.as_str(), windows.end()), (row, end));
        windows.put_back(taken);
        assert_eq!(text(windows), format!("{HEAD}{row}{rulers}{row}"));
        let mut windows = Windows::default();
        let start = windows.end();
        add(&mut windows);
        windows.take_back(start);
        assert_eq!((windows.end(), windows.into_bytes()), (start, None));
    }
}
