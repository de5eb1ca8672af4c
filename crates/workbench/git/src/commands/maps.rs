//! Maps that were made before, of either direction.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fieldtest_frame::{input, text};
use fieldtest_git::map::{Map, tsv};
use fieldtest_git::{Format, ObjectId};

use crate::outcome::{coded, usage};

/// Reads the maps of submodules, each of which is given once.
pub(super) fn of_submodules(
    paths: &[PathBuf],
    from: &Format,
    to: &Format,
    padded: &[ObjectId],
) -> Result<Vec<Map>> {
    if let Some((_, twice)) = paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
        return Err(usage(format!("the map {} is given twice; give it once", text::path(twice))));
    }
    paths.iter().map(|path| of_submodule(path, from, to, padded)).collect()
}

/// Reads the map of a submodule. One that was made with IDs filled up is read only where each of these is filled up by name
/// here, too: then the names in it are those that its repository keeps.
fn of_submodule(path: &Path, from: &Format, to: &Format, padded: &[ObjectId]) -> Result<Map> {
    let map = read(path, from, to)?;
    let is_same = |one: &[u8], other: &[u8]| {
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        long.strip_prefix(short).is_some_and(|rest| rest.iter().all(|&byte| byte == 0))
    };
    let is_named = |id: &&ObjectId| padded.iter().any(|named| is_same(id.as_bytes(), named.as_bytes()));
    let unnamed: Vec<String> =
        map.padded().iter().filter(|id| !is_named(id)).map(|id| format!("--pad-submodule {id}")).collect();
    if unnamed.is_empty() {
        return Ok(map);
    }
    let error = anyhow!(
        "the map {} was made with padded commits of submodules, and its IDs change once those have new IDs; make it \
         again with the maps of these submodules, or, if they never get new IDs, give {} wherever one of them is named",
        text::path(path),
        unnamed.join(" ")
    );
    Err(coded("padded-map", error))
}

/// Reads a map between two formats; one of the opposite direction is turned round.
pub(super) fn read(path: &Path, from: &Format, to: &Format) -> Result<Map> {
    let name = || format!("the map {}", text::path(path));
    let cannot = || format!("cannot read {}", name());
    let file = input::open(path).with_context(cannot)?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let start = file.fill_buf().with_context(cannot)?;
    let named = tsv::formats(start).map(|formats| formats.map(str::to_owned));
    let why = if start.is_empty() { Some("it is empty; check the path") } else { text::decoded(start).err() };
    if let (Some(why), None) = (why, &named) {
        bail!("{}: {why}", cannot());
    }
    match named {
        Some([one, other]) if one == to.name && other == from.name => {
            turned(&tsv::read(to, from, file).with_context(name)?, from, to)
        }
        Some([one, other]) if one != from.name || other != to.name => Err(usage(format!(
            "cannot use {}: it maps {one} to {other}, not {} to {}; give a map of these formats",
            name(),
            from.name,
            to.name
        ))),
        _ => tsv::read(from, to, file).with_context(name),
    }
}

fn turned(map: &Map, from: &Format, to: &Format) -> Result<Map> {
    let turned = Map::from_pairs(from, to, map.iter().map(|pair| (pair.new, pair.old, pair.kind)))?;
    Ok(turned.with_padded(map.padded().iter().copied()))
}
