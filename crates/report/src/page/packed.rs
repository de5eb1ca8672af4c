//! What only the script reads, compressed: as text it is half a megabyte. With its repeated phrases numbered and replaced, which
//! was tried, the page was 80 kB longer than with gzip.

use std::collections::BTreeMap;
use std::io::Write;

use base64ct::{Base64, Encoding};
use fieldtest_verdict::Matrix;
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

/// The crate `fieldtest_verdict` for the page; `lab/wasm.sh` compiles it.
const VERDICT: &[u8] = include_bytes!("../../templates/script/verdict.wasm");

/// These and what recommendations are made of, as JSON; behind it WebAssembly, where there is something to decide. JSON has no
/// byte 0, with which WebAssembly begins. As gzip (RFC 1952), in Base64.
pub(super) fn packed(tooltips: &Tooltips, matrix: &Matrix) -> String {
    let json = format!(r#"{{"tooltips":{},"matrix":{}}}"#, serde_json::json!(tooltips), matrix.json());
    let verdict: &[u8] = if matrix.studies.is_empty() { &[] } else { VERDICT };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let written = gzip.write_all(json.as_bytes()).and_then(|()| gzip.write_all(verdict));
    Base64::encode_string(&written.and_then(|()| gzip.finish()).expect("a vector takes all that is written"))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use fieldtest_verdict::Study;
    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_script_reads_each_tooltip_as_it_was() {
        // A line break in one of them once shifted what all later ones said.
        let said = ["ECDSA P-256\nsoa 197 B, fits 512 bytes", "", "#1~2, \"exact\" <b>"].map(str::to_owned);
        let tables = BTreeMap::from([("answers-sizes".to_owned(), vec![said.to_vec()])]);
        let tooltips = Tooltips { tables, plots: said.to_vec() };
        let expected = serde_json::json!({ "tables": { "answers-sizes": [said] }, "plots": said });
        let study = Study { study: "a \u{0} study".to_owned(), ..Study::default() };
        for (studies, code) in [(Vec::new(), &b""[..]), (vec![study], VERDICT)] {
            let matrix = Matrix { studies, ..Matrix::default() };
            let bytes = Base64::decode_vec(&packed(&tooltips, &matrix)).expect("Base64");
            let mut read = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut read).expect("gzip");
            let (json, behind) = read.split_at(read.iter().position(|it| *it == 0).unwrap_or(read.len()));
            let json: serde_json::Value = serde_json::from_slice(json).expect("JSON");
            assert_eq!((&json["tooltips"], behind), (&expected, code));
            assert_eq!(Matrix::read(&json["matrix"].to_string()), Some(matrix));
        }
    }
}
