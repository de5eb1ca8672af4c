//! Every timed window of a run as it was read, so that anybody can compute its figures again: `windows.csv.gz`.

use std::fmt::Write as _;
use std::io::Write as _;

use fieldtest_measure::record::Record;
use fieldtest_measure::visit::Seen;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The columns, as `docs/FORMAT.md` describes them.
const HEAD: &str = "study,algorithm,implementation,operation,subject,items,estimator,alone,visit,batch,at,length,\
                    ruler_before,ruler_behind,chain,switched\n";

/// A compressed table with a row for every window.
pub struct Windows {
    table: GzEncoder<Vec<u8>>,
    rows: u64,
}

impl Default for Windows {
    fn default() -> Self {
        let mut windows = Windows { table: GzEncoder::new(Vec::new(), Compression::fast()), rows: 0 };
        windows.write(HEAD);
        windows
    }
}

impl Windows {
    /// Adds what the visits saw of what `record` is a figure of; an operation has `items` of what the figure is for one
    /// of, and `alone` is what the rulers read on a core of one's own.
    pub(crate) fn add<'a>(
        &mut self,
        record: &Record,
        items: usize,
        alone: f64,
        visits: impl Iterator<Item = &'a Seen>,
    ) {
        let Record { study, algorithm, operation, subject, .. } = record;
        let implementation = record.implementation.as_ref().map_or("", |it| &it.name);
        let mut rows = String::new();
        for (visit, seen) in visits.enumerate() {
            let (estimator, batch) = (seen.estimator.name(), seen.known.batch);
            let same = format!(
                "{study},{algorithm},{implementation},{operation},{},{items},{estimator},{alone:.4},{visit},{batch}",
                quoted(subject)
            );
            for window in &seen.windows {
                let [before, behind] = window.rulers;
                let (at, length, chain) = (window.at, window.length, window.chain);
                let switched = u8::from(window.switched);
                // Writing to a string does not fail.
                let _ = writeln!(rows, "{same},{at},{length},{before},{behind},{chain},{switched}");
            }
            self.rows += seen.windows.len() as u64;
        }
        self.write(&rows);
    }

    /// The table in gzip's form; nothing if no window was timed.
    #[must_use]
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        // Memory takes what is written to it.
        self.table.finish().ok().filter(|_| self.rows > 0)
    }

    fn write(&mut self, text: &str) {
        // Memory takes what is written to it.
        let _ = self.table.write_all(text.as_bytes());
    }
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
    use std::io::Read as _;

    use fieldtest_measure::Estimator;
    use fieldtest_measure::visit::{Known, Window};

    use super::*;

    #[test]
    fn a_row_for_every_window() {
        assert_eq!(Windows::default().into_bytes(), None);
        let window = Window { at: 5, length: 90_000, rulers: [2048, 2050], chain: 8192, switched: true };
        let seen = |windows| Seen {
            name: "it".to_owned(),
            estimator: Estimator::Median,
            known: Known { batch: 7, window: Default::default(), in_a_turn: 3 },
            turns: 1,
            spent: Default::default(),
            windows,
        };
        let record = Record {
            study: "speed".into(),
            algorithm: "sha-256".into(),
            implementation: None,
            operation: "hash".into(),
            subject: "64, \"single\"".into(),
            value: 1.0,
            unit: "cycles".into(),
            interval: None,
            estimator: "median".into(),
            samples: 2,
            shared: None,
            proof: None,
            input: None,
            part: None,
            notes: Vec::new(),
        };
        let mut windows = Windows::default();
        windows.add(&record, 64, 3.99, [seen(vec![]), seen(vec![window])].iter());
        let bytes = windows.into_bytes().expect("a row");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip");
        let row = "speed,sha-256,,hash,\"64, \"\"single\"\"\",64,median,3.9900,1,7,5,90000,2048,2050,8192,1";
        assert_eq!(text.lines().collect::<Vec<_>>(), [HEAD.trim_end(), row]);
    }
}
