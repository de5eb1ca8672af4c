//! From the name of a container and a passphrase to its content.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use fieldtest_disk::header::CopyState;
use fieldtest_disk::header::json::Segment;
use fieldtest_disk::{
    Access, CipherSpec, Ciphers, Container, Error, Integrity, Unlocked, Volume, VolumeKey, has_equal_halves,
};
use fieldtest_frame::measuring;

use super::passphrase;
use super::remedies::{explained, explained_of};
use super::shown;
use crate::algorithms::Content;
use crate::args::DiskUnlock;
use crate::interrupt;
use crate::outcome::coded;
use crate::output;
use crate::progress::Progress;

/// A container that a passphrase opened.
pub(super) struct Opened {
    pub(super) volume: Volume,
    pub(super) content: Content,
}

impl Opened {
    /// Opens a container. All that can be refused without its key is refused before the passphrase is asked for.
    pub(super) fn open(
        image: &Path,
        access: Access,
        unlock: &DiskUnlock,
        implementation: Option<&str>,
    ) -> Result<Opened> {
        measuring::known_implementation(implementation)?;
        let container = open(unlock.header.as_deref().unwrap_or(image), access, Header::Stays)?;
        // What is not there can be neither read nor written.
        if unlock.header.is_none() && container.is_detached() {
            return Err(explained(Error::DetachedHeader(image.to_owned())));
        }
        container.usable().map_err(explained_of(image))?;
        let saved = saved(&container, unlock, image)?;
        // Without a key slot it is the key that says how long it is.
        let content = content(&container, saved.as_ref().map(|key| key.bytes().len()), implementation)?;
        content.prove()?;
        let unlocked = match saved {
            Some(key) => Unlocked { slot: None, key },
            None => by_passphrase(&container, unlock, image, &content)?,
        };
        let volume =
            volume(container, unlock, image, &unlocked.key, &content).map_err(explained_of(image))?;
        let own = unlocked.key.bytes().get(..content.key_len);
        if own.is_some_and(|own| has_equal_halves(&content.spec, own)) {
            output::message(&format!(
                "{}: the two halves of its XTS key are equal, which FIPS 140-3 forbids (implementation guidance C.I); re-encrypt it with another \
                 key with: fieldtest disk reencrypt",
                image.display()
            ));
        }
        if fieldtest_disk::some_may_be_swapped() && swaps() {
            output::message(
                "cannot lock the key in memory, so it may reach the swap space; raise the limit with: ulimit -l",
            );
        }
        Ok(Opened { volume, content })
    }
}

/// Opens a key slot, or takes the volume key that is named.
pub(super) fn unlocked(
    container: &Container,
    unlock: &DiskUnlock,
    image: &Path,
    ciphers: &dyn Ciphers,
) -> Result<Unlocked> {
    match saved(container, unlock, image)? {
        Some(key) => Ok(Unlocked { slot: None, key }),
        None => by_passphrase(container, unlock, image, ciphers),
    }
}

/// The volume key that is named, which the container recognises.
fn saved(container: &Container, unlock: &DiskUnlock, image: &Path) -> Result<Option<VolumeKey>> {
    let Some(file) = &unlock.volume_key_file else { return Ok(None) };
    let key = passphrase::volume_key(file)?;
    container.recognises(&key).map_err(explained_of(image))?;
    Ok(Some(key))
}

fn by_passphrase(
    container: &Container,
    unlock: &DiskUnlock,
    image: &Path,
    ciphers: &dyn Ciphers,
) -> Result<Unlocked> {
    let passphrase = passphrase::existing(&unlock.key, image)?;
    let header = unlock.header.as_deref().unwrap_or(image);
    tried(container, header, &passphrase, unlock.key_slot, ciphers)
}

pub(super) fn tried(
    container: &Container,
    name: &Path,
    passphrase: &[u8],
    slot: Option<u32>,
    ciphers: &dyn Ciphers,
) -> Result<Unlocked> {
    let progress = Progress::new();
    progress.say("trying the passphrase");
    container.unlock(passphrase, slot, ciphers).map_err(explained_of(name))
}

/// The content, which lies behind the header or in a file of its own.
pub(super) fn volume(
    container: Container,
    unlock: &DiskUnlock,
    image: &Path,
    key: &VolumeKey,
    ciphers: &dyn Ciphers,
) -> fieldtest_disk::Result<Volume> {
    match unlock.header {
        Some(_) => container.into_volume_on(image, key, ciphers),
        None => container.into_volume(key, ciphers),
    }
}

/// Whether this system has swap space (proc(5)): a line for each behind that of the titles.
fn swaps() -> bool {
    std::fs::read_to_string("/proc/swaps").is_ok_and(|swaps| swaps.lines().count() > 1)
}

/// What becomes of a container's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// It is read, whatever is done with the data.
    Stays,
    /// It is changed, and both copies of it are good before that.
    IsChanged,
}

/// Opens a container and says what is wrong with its header.
pub(super) fn open(image: &Path, access: Access, header: Header) -> Result<Container> {
    let container = match header {
        Header::Stays => Container::open(image, access),
        Header::IsChanged => waited_for(image, access),
    };
    let container = container.map_err(explained_of(image))?;
    if !container.labels().is_empty() {
        return Err(explained(Error::Labels { path: image.to_owned(), labels: container.labels().to_vec() }));
    }
    for (which, state) in both(&container) {
        if *state != CopyState::Good {
            let (state, name) = (state_in_words(state), image.display());
            let then = match header {
                Header::Stays => format!("; repair it with: fieldtest disk repair {name}"),
                Header::IsChanged => ", and it is rewritten before anything is changed".to_owned(),
            };
            output::message(&format!("{name}: the {which} header is {state}; the other one is used{then}"));
        }
    }
    Ok(container)
}

/// How long a container that somebody else works with is waited for: some key derivations, each of which
/// takes seconds. Without a wait, four of five `slot add` at the same time failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a container whose header is to be changed. What changes a header is done with it soon, and cryptsetup waits for it
/// too; what serves one is not.
fn waited_for(image: &Path, access: Access) -> fieldtest_disk::Result<Container> {
    let (since, progress, _waiting) = (Instant::now(), Progress::new(), interrupt::waiting());
    loop {
        match Container::open(image, access) {
            Err(Error::InUse(_)) if since.elapsed() < PATIENCE => {}
            opened => return opened,
        }
        progress.say("waiting until no other process uses it");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The two copies of the header and how they were found.
pub(super) fn both(container: &Container) -> [(&'static str, &CopyState); 2] {
    let condition = container.condition();
    [("first", &condition.first), ("second", &condition.second)]
}

pub(super) fn state_in_words(state: &CopyState) -> String {
    match state {
        CopyState::Good => "good".to_owned(),
        CopyState::Old => "older than the other".to_owned(),
        CopyState::Damaged(how) => format!("damaged ({})", shown::text(how)),
    }
}

/// The encrypted segment that holds the data, or the first of several.
pub(super) fn encrypted(container: &Container) -> Option<&Segment> {
    container.header().metadata.segments().values().find(|segment| segment.kind == "crypt")
}

/// The cipher of a container's data, with a key of so many bytes, or else as long as those of its key slots.
pub(super) fn content(
    container: &Container,
    key_len: Option<usize>,
    implementation: Option<&str>,
) -> Result<Content> {
    let segment = encrypted(container);
    let Some(spec) = segment.and_then(|segment| segment.encryption.as_deref()) else {
        bail!(coded(
            "no-data",
            anyhow!("the container has no encrypted data; show what it has with: fieldtest disk dump")
        ));
    };
    let Some(key_len) = key_len.or_else(|| Some(container.key_size()? as usize)) else {
        bail!(coded(
            "no-slot",
            anyhow!(
                "no keyslot holds the key of the data; if the volume key was saved, give it with --volume-key-file"
            )
        ));
    };
    let spec: CipherSpec = spec.parse()?;
    let integrity = match segment {
        Some(segment) => segment.authenticated_by().map_err(explained)?,
        None => None,
    };
    let key_len = key_len.saturating_sub(integrity.map_or(0, Integrity::key_len));
    // What is wrong without an implementation is in the header, not on the command line.
    match (Content::find_with(&spec, key_len, integrity, None), implementation) {
        (Err(error), _) => bail!("{error}"),
        (Ok(content), None) => Ok(content),
        (Ok(_), named) => Content::find_with(&spec, key_len, integrity, named),
    }
}

/// Shows how much of a copy is done, whenever another percent is.
pub(super) struct Percent {
    line: Progress,
    shown: AtomicU64,
}

impl Percent {
    pub(super) fn new() -> Percent {
        Percent { line: Progress::new(), shown: AtomicU64::new(u64::MAX) }
    }

    pub(super) fn show(&self, done: u64, total: u64) {
        let percent = (u128::from(done) * 100 / u128::from(total.max(1))) as u64;
        if self.shown.swap(percent, Ordering::Relaxed) != percent {
            self.line.say(&format!("{percent} % of {}", shown::size(total)));
        }
    }
}
