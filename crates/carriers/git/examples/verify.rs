//! Verifies a repository, or only decodes it:
//! `verify <repository> [--threads N] [--hash sha1|sha1dc|sha256|none] [--connectivity] [--sizes]`.

#![allow(clippy::print_stdout)] // a program

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use fieldtest_git::verify::{Settings, verify};
use fieldtest_git::{Error, ObjectType, Objects, Options, Repository, rehash};
use fieldtest_kinds::hash::{Hash, Stream};

#[path = "../tests/common/hashes.rs"]
mod hashes;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut path = PathBuf::from(".");
    let mut threads = NonZeroUsize::MIN;
    let (mut name, mut connectivity, mut sizes) = ("sha1dc".to_owned(), false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().unwrap_or_default().parse()?,
            "--hash" => name = arguments.next().unwrap_or_default(),
            "--connectivity" => connectivity = true,
            "--sizes" => sizes = true,
            _ => path = argument.into(),
        }
    }
    let hash: Arc<dyn Hash> = match name.as_str() {
        "sha1" => hashes::sha1(),
        "sha256" => hashes::sha256(),
        "sha1dc" => Arc::new(Sha1Dc),
        _ => {
            decode(&path, threads)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let repository = Repository::open(&path, &Options { partial: true, shallow: true })?;
    let begun = Instant::now();
    let report = verify(
        &repository,
        &Settings { hash: &*hash, threads, connectivity, interrupted: None, progress: None },
    )?;
    let seconds = begun.elapsed().as_secs_f64();
    let all = report.sizes.all();
    println!(
        "{} objects ({} loose), {} bytes, longest chain {}, {} damaged, {} missing, {seconds:.2} s",
        report.objects,
        report.loose,
        all.bytes(),
        report.longest_chain,
        report.damaged.len(),
        report.missing.len(),
    );
    for kind in ObjectType::ALL {
        let sizes = report.sizes.of(kind);
        println!("{kind}: {} objects, {} bytes, largest {}", sizes.count(), sizes.bytes(), sizes.largest());
    }
    if sizes {
        for bucket in all.buckets() {
            println!("from {} bytes: {} objects, {} bytes", bucket.from, bucket.count, bucket.bytes);
        }
    }
    report.damaged.iter().take(50).for_each(|error| println!("{error}"));
    report.missing.iter().take(50).for_each(|missing| println!("missing: {missing:?}"));
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn decode(path: &std::path::Path, threads: NonZeroUsize) -> Result<(), Error> {
    let begun = Instant::now();
    let objects = Objects::open(&Repository::open(path, &Options::default())?)?;
    println!("{} objects, opened after {:.2} s", objects.len(), begun.elapsed().as_secs_f64());
    println!("{} bytes after {:.2} s", rehash::decode(&objects, threads)?, begun.elapsed().as_secs_f64());
    Ok(())
}

/// SHA-1 with detection of collision attacks, as Git itself has it.
struct Sha1Dc;

struct Sha1DcStream(sha1dc::Hasher);

impl Hash for Sha1Dc {
    fn digest_len(&self) -> usize {
        20
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), fieldtest_kinds::Error> {
        let mut state = sha1dc::Hasher::new();
        state.update(head);
        state.update(body);
        Box::new(Sha1DcStream(state)).finish(digest)
    }

    fn start(&self) -> Box<dyn Stream> {
        Box::new(Sha1DcStream(sha1dc::Hasher::new()))
    }
}

impl Stream for Sha1DcStream {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), fieldtest_kinds::Error> {
        let found = self.0.finalize().map_err(|_| fieldtest_kinds::Error::CollisionAttack)?;
        digest.copy_from_slice(found.as_ref());
        Ok(())
    }
}
