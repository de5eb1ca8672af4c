//! The packets that are shown, and what is said of them.

use std::collections::BTreeMap;
use std::path::Path;

use fieldtest_report::{Kind, Table};
use fieldtest_tcp_ao::verify::{Key, Outcome as Judged, Report, Verdict};

use super::ends;
use crate::output;

/// The packets to be shown, gathered while the capture is read: the first ones, although outcomes of fragments come
/// later.
pub(super) struct Packets<'a> {
    keys: &'a [Key],
    all: bool,
    show: usize,
    shown: BTreeMap<u64, Judged>,
    pub(super) hidden: usize,
}

impl<'a> Packets<'a> {
    pub(super) fn new(keys: &'a [Key], all: bool, show: usize) -> Self {
        Self { keys, all, show, shown: BTreeMap::new(), hidden: 0 }
    }

    pub(super) fn add(&mut self, judged: &Judged) {
        let fine = matches!(
            judged.verdict,
            Verdict::Verified { .. }
                | Verdict::Plain
                | Verdict::Md5
                | Verdict::NotTcp
                | Verdict::Fragment { .. }
        );
        if fine && !self.all {
            return;
        }
        let beyond = self.shown.last_key_value().is_none_or(|(last, _)| *last < judged.number);
        if self.shown.len() >= self.show {
            self.hidden += 1;
            if beyond {
                return;
            }
        }
        self.shown.insert(judged.number, *judged);
        if self.shown.len() > self.show {
            self.shown.pop_last();
        }
    }

    pub(super) fn table(&self, capture: &Path, report: &Report) -> Table {
        let title = if self.all { "Packets of" } else { "Packets that do not verify in" };
        let mut table = Table::new(format!("{title} {}", capture.display()))
            .column("packet", Kind::number(""))
            .texts(["connection", "verdict"]);
        for judged in self.shown.values() {
            let connection = judged.connection.map_or(String::new(), |number| ends(report, number));
            table.row([(judged.number as f64).into(), connection.into(), self.words(judged.verdict).into()]);
        }
        if self.hidden > 0 {
            table.note(format!(
                "{} more; see them with --show {}",
                output::count(self.hidden, "packet"),
                self.show + self.hidden
            ));
        }
        table
    }

    fn words(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Verified { key } => match self.keys.get(key) {
                Some(key) => format!("verified, {key}"),
                None => "verified".to_owned(),
            },
            Verdict::EarlierConnection { of, .. } => {
                format!("MAC of an earlier connection ({}): the receiver rejects it", of + 1)
            }
            Verdict::WrongMac => "wrong MAC".to_owned(),
            Verdict::UntriedExtension => {
                "wrong MAC with the tried sequence number extensions; it may have another one".to_owned()
            }
            Verdict::WrongMacLength { found, expected } => {
                format!("a MAC of {found} bytes, but the key's has {expected}")
            }
            Verdict::UnknownKeyId { id } => format!("no key with the KeyID {id}"),
            Verdict::Unsigned => "no TCP-AO option".to_owned(),
            Verdict::Plain => "not protected".to_owned(),
            Verdict::Md5 => "TCP-MD5, which is not verified".to_owned(),
            Verdict::Md5Missing => "no option, in a connection with TCP-MD5".to_owned(),
            Verdict::Md5Instead => "TCP-MD5, in a connection with TCP-AO".to_owned(),
            Verdict::BothOptions => "both TCP-AO and TCP-MD5: receivers discard it".to_owned(),
            Verdict::NoIsns => "initial sequence numbers unknown; give them with --isns".to_owned(),
            Verdict::UnknownLink { link } => format!("a frame of {link}, which is not supported"),
            Verdict::Malformed => "malformed".to_owned(),
            Verdict::Snapped => "cut off by the capture".to_owned(),
            Verdict::Fragment { of } => format!("a fragment of packet {of}"),
            Verdict::Incomplete => "a fragment, but the capture lacks others of its packet".to_owned(),
            Verdict::TooManyFragments => {
                "a fragment, dropped since too many fragments wait at once".to_owned()
            }
            Verdict::Overlap => "a fragment that contradicts others of its packet".to_owned(),
            Verdict::Opaque { what } => format!("{what}: may carry TCP but is not readable"),
            Verdict::NotTcp => "not TCP".to_owned(),
            other => format!("not verified: {other:?}"),
        }
    }
}
