//! `fieldtest disk open`: does this passphrase fit, and what does it open?

use anyhow::Result;
use fieldtest_disk::{Access, Error};
use fieldtest_report::Table;

use super::opened::{self, Header, encrypted};
use super::remedies::explained_of;
use super::shown;
use crate::algorithms::Default;
use crate::args::DiskOpen;
use crate::interrupt;
use crate::outcome::{Outcome, usage};
use crate::output::{self, Format, Output};

pub(super) fn run(args: &DiskOpen, format: Format) -> Result<Outcome> {
    interrupt::left("interrupted; the container was only read");
    let header = args.unlock.header.as_deref().unwrap_or(&args.image);
    if let Some(file) = &args.save_volume_key {
        if file.as_os_str() == "-" {
            return Err(usage(
                "--save-volume-key cannot be standard output, which has the table; give a file",
            ));
        }
        Output::check_new(file)?;
    }
    let container = opened::open(header, Access::Read, Header::Stays)?;
    let unlocked = opened::unlocked(&container, &args.unlock, &args.image, &Default)?;
    if let Some(file) = &args.save_volume_key {
        output::secret_file(file, unlocked.key.bytes())?;
    }
    let mut table = Table::new(format!("{} opens", shown::text(&args.image.display().to_string())))
        .texts(["what", "value"]);
    let of_data = unlocked.slot.is_none_or(|slot| container.holds_data_key(slot));
    if let Some(slot) = unlocked.slot {
        table.fact("keyslot", slot.to_string());
    }
    if !of_data {
        table.fact("key", format!("{} bits", unlocked.key.bytes().len() * 8));
        table.fact("content", "none: no data is encrypted with the key of this keyslot".to_owned());
        output::table(&table, format)?;
        return Ok(Outcome::Fine);
    }
    if let Some(segment) = encrypted(&container) {
        table.fact("cipher", shown::text(segment.encryption.as_deref().unwrap_or("not said")));
        table.fact("key", format!("{} bits", unlocked.key.bytes().len() * 8));
        table.fact("sector size", format!("{} bytes", segment.sector_size.unwrap_or(512)));
    }
    // A passphrase can be right for a cipher that is not here.
    let here = opened::content(&container, Some(unlocked.key.bytes().len()), None);
    table.fact("algorithm", here.as_ref().map_or("none".to_owned(), |content| content.name()));
    match opened::volume(container, &args.unlock, &args.image, &unlocked.key, &Default) {
        Ok(volume) => {
            table.fact("content", format!("{} ({} bytes)", shown::size(volume.size()), volume.size()))
        }
        Err(error @ (Error::NoCipher { .. } | Error::Unsupported { .. } | Error::DetachedHeader(_))) => {
            table.fact("content", format!("cannot read it: {error}"));
        }
        Err(error) => return Err(explained_of(&args.image)(error)),
    }
    output::table(&table, format)?;
    Ok(Outcome::Fine)
}
