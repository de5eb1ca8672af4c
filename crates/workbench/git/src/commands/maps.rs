//! Maps that were made before, in either form and of either direction.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_git::Format;
use fieldtest_git::map::{Map, lmap, tsv};

/// Reads a map between two formats; one of the opposite direction is turned round.
pub(super) fn read(path: &Path, from: &Format, to: &Format) -> Result<Map> {
    let name = || format!("the map {}", path.display());
    let file = File::open(path).with_context(|| format!("cannot read {}", name()))?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let start = file.fill_buf().with_context(|| format!("cannot read {}", name()))?;
    if start.starts_with(b"LMAP") {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", name()))?;
        let read = |main, other| lmap::read(main, other, &bytes).map(|(map, _)| map);
        return match (read(from, to), read(to, from)) {
            (Ok(map), _) => Ok(map),
            (_, Ok(map)) => turned(&map, from, to),
            (Err(error), Err(_)) => Err(anyhow!(error).context(name())),
        };
    }
    let opposite = format!("# {}\t{}\n", to.name, from.name);
    if start.starts_with(opposite.as_bytes()) {
        return turned(&tsv::read(to, from, file).with_context(name)?, from, to);
    }
    tsv::read(from, to, file).with_context(|| format!("{} from {} to {}", name(), from.name, to.name))
}

fn turned(map: &Map, from: &Format, to: &Format) -> Result<Map> {
    Ok(Map::from_pairs(from, to, map.iter().map(|pair| (pair.new, pair.old, pair.kind)))?)
}
