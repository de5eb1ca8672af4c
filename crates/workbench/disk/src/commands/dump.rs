//! `fieldtest disk dump`: all that the headers of a container say, and how both copies were found.

use anyhow::Result;
use fieldtest_disk::header::json::{Digest, Kdf, Keyslot, Segment};
use fieldtest_disk::{Access, Container};
use fieldtest_report::{Kind, Table};

use super::opened::{both, state_in_words};
use super::remedies::explained;
use super::shown;
use crate::args::DiskDump;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(super) fn run(args: &DiskDump, format: Format) -> Result<Outcome> {
    let container = Container::open(&args.image, Access::Read).map_err(explained)?;
    let version = if container.luks1().is_some() { 1 } else { 2 };
    let title = format!("LUKS{version} container {}", shown::text(&args.image.display().to_string()));
    let table = Table::new(title).texts(["part", "fact"]);
    let mut rows = Rows { table: table.column("value", Kind::Text), exact: format != Format::Human };
    header(&container, &mut rows);
    let metadata = &container.header().metadata;
    metadata.segments().iter().for_each(|(number, it)| segment(&format!("segment {number}"), it, &mut rows));
    metadata
        .keyslots()
        .iter()
        .for_each(|(number, it)| keyslot(&format!("keyslot {number}"), it, version, &mut rows));
    metadata.digests().iter().for_each(|(number, it)| digest(&format!("digest {number}"), it, &mut rows));
    let mut tokens: Vec<_> = metadata.tokens().iter().collect();
    // As numbers, that is.
    tokens.sort_by_key(|(name, _)| (name.len(), *name));
    for (number, token) in tokens {
        let kind = token.get("type").and_then(|kind| kind.as_str()).unwrap_or("not said");
        rows.add(&format!("token {number}"), "type", kind);
        let slots = token.get("keyslots").and_then(|slots| slots.as_array()).into_iter().flatten();
        let slots: Vec<&str> = slots.filter_map(|slot| slot.as_str()).collect();
        rows.add_some(&format!("token {number}"), "keyslots", Some(slots.join(", ")));
    }
    // The header of LUKS1 has no JSON.
    if rows.exact && version == 2 {
        let json = String::from_utf8_lossy(&metadata.to_json()).into_owned();
        rows.table.row([
            "header".into(),
            "metadata".into(),
            fieldtest_frame::text::json(&json).into_owned().into(),
        ]);
    }
    output::table(&rows.table, format)?;
    let image = args.image.display();
    if container.is_detached() {
        output::message(&format!("{image} is a detached header; its data is in another file"));
    }
    if !container.labels().is_empty() {
        output::message(&format!(
            "one header is damaged, and there are labels of other formats ({}): they may own the storage now, and repairing \
             the header would destroy it",
            container.labels().join(", ")
        ));
    } else if !container.condition().is_good() {
        output::message(&format!("one header is damaged; repair it with: fieldtest disk repair {image}"));
    }
    Ok(Outcome::Fine)
}

struct Rows {
    table: Table,
    /// Programs get sizes in bytes.
    exact: bool,
}

impl Rows {
    fn add(&mut self, part: &str, fact: &str, value: impl AsRef<str>) {
        self.table.row([part.into(), fact.into(), shown::text(value.as_ref()).into()]);
    }

    fn size(&self, bytes: u64) -> String {
        if self.exact { bytes.to_string() } else { shown::size(bytes) }
    }

    /// As [`add`](Self::add), where there is a value.
    fn add_some(&mut self, part: &str, fact: &str, value: Option<impl AsRef<str>>) {
        if let Some(value) = value.filter(|value| !value.as_ref().is_empty()) {
            self.add(part, fact, value);
        }
    }
}

fn header(container: &Container, rows: &mut Rows) {
    let binary = &container.header().binary;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if let Some(luks1) = container.luks1() {
        rows.add("header", "version", "1");
        rows.add("header", "uuid", text(&luks1.uuid));
        rows.add("header", "hash", &luks1.hash);
        return;
    }
    for (which, state) in both(container) {
        rows.add("header", &format!("{which} copy"), state_in_words(state));
    }
    rows.add("header", "version", "2");
    rows.add("header", "sequence number", binary.sequence.to_string());
    rows.add("header", "uuid", text(&binary.uuid));
    rows.add_some("header", "label", Some(text(&binary.label)));
    rows.add_some("header", "subsystem", Some(text(&binary.subsystem)));
    rows.add_some("header", "labels of other formats", Some(container.labels().join(", ")));
    rows.add("header", "checksum", binary.checksum.name());
    rows.add("header", "size of a copy", rows.size(binary.header_size));
    let metadata = &container.header().metadata;
    let config = metadata.config();
    rows.add("header", "room for keyslots", rows.size(config.keyslots_size));
    rows.add_some("header", "flags", Some(config.flags.join(", ")));
    rows.add_some("header", "requirements", Some(metadata.requirements().join(", ")));
}

fn segment(part: &str, segment: &Segment, rows: &mut Rows) {
    rows.add(part, "type", &segment.kind);
    rows.add_some(part, "cipher", segment.encryption.as_ref());
    rows.add_some(part, "sector size", segment.sector_size.map(|bytes| format!("{bytes} bytes")));
    rows.add(part, "offset", rows.size(segment.offset));
    rows.add(part, "size", segment.size.map_or("all that follows".to_owned(), |bytes| rows.size(bytes)));
    rows.add_some(
        part,
        "added to sectors' numbers",
        Some(segment.iv_tweak).filter(|&it| it > 0).map(|it| it.to_string()),
    );
    rows.add_some(part, "integrity", segment.integrity.as_ref().map(ToString::to_string));
    rows.add_some(part, "flags", Some(segment.flags.join(", ")));
}

fn keyslot(part: &str, slot: &Keyslot, version: u32, rows: &mut Rows) {
    // Those of LUKS1 are held in the form of LUKS2.
    rows.add(part, "type", if version == 1 { "luks1" } else { &slot.kind });
    rows.add(part, "key", format!("{} bits", u64::from(slot.key_size) * 8));
    let priority = match slot.priority {
        None | Some(1) => None,
        Some(2) => Some("before others"),
        Some(_) => Some("only when asked for"),
    };
    rows.add_some(part, "tried", priority);
    let bits = slot.area.key_size.map(|bytes| format!(", {} bits", u64::from(bytes) * 8)).unwrap_or_default();
    rows.add_some(part, "cipher", slot.area.encryption.as_ref().map(|spec| format!("{spec}{bits}")));
    rows.add_some(part, "key derivation", slot.kdf.as_ref().map(|it| kdf(it, rows)));
    let split = slot.af.as_ref().map(|af| format!("{} stripes, {}", af.stripes, af.hash));
    rows.add_some(part, "anti-forensic splitter", split);
    rows.add(
        part,
        "area",
        format!("{} at offset {}", rows.size(slot.area.size), rows.size(slot.area.offset)),
    );
}

fn kdf(kdf: &Kdf, rows: &Rows) -> String {
    let argon2 = |name: &str, costs: &fieldtest_disk::header::json::Argon2| {
        let memory = rows.size(u64::from(costs.memory) << 10);
        format!("{name}, {} passes, {memory}, {} lanes", costs.time, costs.cpus)
    };
    match kdf {
        Kdf::Argon2id(costs) => argon2("argon2id", costs),
        Kdf::Argon2i(costs) => argon2("argon2i", costs),
        Kdf::Pbkdf2 { hash, iterations, .. } => format!("pbkdf2 with {hash}, {iterations} iterations"),
        Kdf::Unknown | _ => "unknown".to_owned(),
    }
}

fn digest(part: &str, digest: &Digest, rows: &mut Rows) {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    rows.add(part, "type", &digest.kind);
    rows.add_some(part, "hash", Some(&digest.hash));
    rows.add(part, "iterations", digest.iterations.to_string());
    rows.add_some(part, "of the key in keyslots", Some(list(&digest.keyslots)));
    rows.add_some(part, "of the key of segments", Some(list(&digest.segments)));
}
