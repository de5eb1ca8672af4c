//! What only the script reads, compressed. As text it is half a megabyte; with its repeated phrases numbered and replaced, which
//! was tried, the page was 80 kB longer than with gzip.

use std::collections::BTreeMap;
use std::io::Write;

use base64ct::{Base64, Encoding};
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;

use super::section_view::SectionView;

/// What the tooltips of the page say beside the result itself.
#[derive(Serialize)]
pub(super) struct Tooltips {
    /// By the names of tables, for each cell of each row.
    tables: BTreeMap<String, Vec<Vec<String>>>,
    /// Of all plots, in their order on the page.
    plots: Vec<String>,
}

impl Tooltips {
    /// Takes them out of these sections.
    pub(super) fn of(sections: &mut [SectionView]) -> Tooltips {
        let mut tables = BTreeMap::new();
        for table in sections.iter_mut().flat_map(SectionView::tables) {
            let rows = table.rows.iter_mut();
            let rows: Vec<Vec<String>> = rows
                .map(|row| row.cells.iter_mut().map(|cell| std::mem::take(&mut cell.detail)).collect())
                .collect();
            if rows.iter().flatten().any(|detail| !detail.is_empty()) {
                tables.insert(table.id.clone(), rows);
            }
        }
        let plots = sections.iter_mut().flat_map(SectionView::plots);
        let plots = plots.flat_map(|plot| std::mem::take(&mut plot.svg.tooltips)).collect();
        Tooltips { tables, plots }
    }
}

/// These and what the script judges by: JSON, as gzip (RFC 1952), in Base64.
pub(super) fn packed(tooltips: &Tooltips, advice: &str) -> String {
    let json = format!(r#"{{"tooltips":{},"advice":{advice}}}"#, serde_json::json!(tooltips));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let bytes = gzip.write_all(json.as_bytes()).and_then(|()| gzip.finish());
    Base64::encode_string(&bytes.expect("a vector takes all that is written"))
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_script_reads_each_tooltip_as_it_was() {
        // A line break in one of them once shifted what all later ones said.
        let said = ["ECDSA P-256\nsoa 197 B, fits 512 bytes", "", "#1~2, \"exact\" <b>"].map(str::to_owned);
        let tables = BTreeMap::from([("answers-sizes".to_owned(), vec![said.to_vec()])]);
        let tooltips = Tooltips { tables, plots: said.to_vec() };
        let bytes = Base64::decode_vec(&packed(&tooltips, r#"{"level":0.02}"#)).expect("Base64");
        let read: serde_json::Value =
            serde_json::from_reader(GzDecoder::new(&bytes[..])).expect("JSON as gzip");
        let tooltips = serde_json::json!({ "tables": { "answers-sizes": [said] }, "plots": said });
        assert_eq!(read, serde_json::json!({ "tooltips": tooltips, "advice": { "level": 0.02 } }));
    }
}
