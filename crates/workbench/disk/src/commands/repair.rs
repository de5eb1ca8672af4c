//! `fieldtest disk repair`: the damaged or old copy of a header, written anew from the other one.

use anyhow::Result;
use fieldtest_disk::header::CopyState;
use fieldtest_disk::{Access, Container};

use super::opened::{both, state_in_words};
use super::remedies::explained;
use crate::args::DiskRepair;
use crate::outcome::Outcome;
use crate::output::{self, Format};

pub(super) fn run(args: &DiskRepair, format: Format) -> Result<Outcome> {
    let image = args.image.display();
    let mut container = Container::open(&args.image, Access::Write).map_err(explained)?;
    // A repaired header would hide that its keyslots or data are gone.
    container.check_length().map_err(explained)?;
    if container.luks1().is_some() {
        output::message(&format!("{image}: the only header of LUKS1 is good; nothing was written"));
        return account(args, "none", "good", "", format);
    }
    let bad = both(&container).into_iter().find(|(_, state)| **state != CopyState::Good);
    let Some((which, state)) = bad.map(|(which, state)| (which, state_in_words(state))) else {
        output::message(&format!("{image}: both headers are good; nothing was written"));
        return account(args, "none", "good", "", format);
    };
    let lost = container.labels().join(", ");
    match args.force {
        true => container.repair_over_labels(),
        false => container.repair(),
    }
    .map_err(explained)?;
    output::message(&format!("{image}: the {which} header was {state} and is good now"));
    if !lost.is_empty() {
        output::message(&format!(
            "{image}: the labels of other formats ({lost}) may be gone; check with: wipefs {image}"
        ));
    }
    account(args, which, &state, &lost, format)
}

fn account(args: &DiskRepair, written: &str, state: &str, labels: &str, format: Format) -> Result<Outcome> {
    let facts = [
        ("container", args.image.display().to_string()),
        ("header written", written.to_owned()),
        ("found", state.to_owned()),
        ("labels of other formats", labels.to_owned()),
    ];
    super::account("what was repaired", facts, format)
}
