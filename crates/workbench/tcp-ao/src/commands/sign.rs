//! `fieldtest tcp-ao sign`: a capture whose TCP segments have the option.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use fieldtest_frame::{input, text};
use fieldtest_tcp_ao::capture::{Item, Reader, uncompressed};
use fieldtest_tcp_ao::flows::KnownIsns;
use fieldtest_tcp_ao::sign::{self, Plan, SignError, Summary};

use super::keys;
use crate::args::SignCapture;
use crate::outcome::{Outcome, usage};
use crate::output;

/// Segments that were passed through unsigned and are named one by one.
const NAMED: usize = 5;

pub(crate) fn run(args: &SignCapture) -> Result<Outcome> {
    let keys = args.keys.file.as_deref().map(|path| (path, "the file of keys, which would be lost"));
    let capture = (args.capture.as_path(), "the capture to sign");
    output::check_keeps(&args.output, keys.into_iter().chain([capture]))?;
    let keys = keys::keys(&args.keys)?;
    let (opener, answerer) = match &keys[..] {
        [both] => (both.clone(), both.clone()),
        [opener, answerer] if opener.id() == answerer.id() => {
            return Err(usage(format!(
                "cannot sign with two keys of KeyID {}: each end would reject the other's segments; remove one",
                opener.id()
            )));
        }
        [opener, answerer] => (opener.clone(), answerer.clone()),
        _ => return Err(usage("more than two keys; give one for both ends, or one for each")),
    };
    for key in keys.iter().filter(|key| !key.prefixes().is_empty()) {
        output::message(&format!("the addresses of {key} are ignored: 'sign' uses it for all connections"));
    }
    let mut plan = Plan { opener, answerer, replace: args.replace, keep_snapshot_lengths: false };
    let known = keys::isns(&args.isns)?;
    let summary = signed(args, &mut plan, &known)?;
    for (number, why) in summary.reasons.iter().take(NAMED) {
        output::message(&format!("packet {number} is not signed: {why}"));
    }
    for problem in summary.problems.iter().take(NAMED) {
        output::message(&format!("{}: {problem}", text::path(&args.capture)));
    }
    output::message(&format!(
        "{}: {} signed, {} left unsigned, {} not TCP, {} dropped to free space, {} in the file",
        args.output.display(),
        output::count(summary.signed as usize, "segment"),
        summary.unsigned,
        summary.not_tcp,
        output::count(summary.sack_blocks_dropped as usize, "SACK block"),
        output::count(summary.problem_count as usize, "fault"),
    ));
    if summary.problem_count > 0 {
        output::message(&format!("incomplete output kept in '{}'", text::path(&args.output)));
    }
    let whole = summary.unsigned == 0 && summary.problem_count == 0 && summary.signed > 0;
    Ok(if whole { Outcome::Fine } else { Outcome::Failed })
}

/// Signs the capture, and again with its snapshot lengths as they are where a block is found whose own length hangs on
/// them. There are hardly any such captures, and only reading to the end shows it.
fn signed(args: &SignCapture, plan: &mut Plan, known: &[KnownIsns]) -> Result<Summary> {
    let again = is_file(&args.capture);
    let replaced =
        args.output.as_os_str() != output::STDOUT && (!args.output.exists() || is_file(&args.output));
    // What goes through a pipe cannot be taken back.
    if again && !replaced {
        plan.keep_snapshot_lengths = has_cut_simple_blocks(&args.capture)?;
    }
    let first = once(args, plan, known);
    match first {
        Err(error) if matches!(error.downcast_ref(), Some(SignError::CutSimpleBlock(_))) => {
            if !again {
                return Err(error.context("a capture from a pipe can be read only once; save it first"));
            }
            plan.keep_snapshot_lengths = true;
            once(args, plan, known)
        }
        first => first,
    }
}

fn once(args: &SignCapture, plan: &Plan, known: &[KnownIsns]) -> Result<Summary> {
    let mut reader = open(&args.capture)?;
    output::whole_file(&args.output, |out| match sign::sign(&mut reader, out, plan, known) {
        // Nothing is left behind, and nothing that was there is moved.
        Ok((_, summary)) if summary.signed + summary.unsigned + summary.problem_count == 0 => {
            Err(anyhow!(super::no_tcp("sign", &args.capture)))
        }
        Ok((_, summary)) => Ok(summary),
        Err(SignError::Write(error)) => Err(error.into()),
        Err(error) => Err(error).with_context(|| args.capture.display().to_string()),
    })
}

fn open(path: &Path) -> Result<Reader<Box<dyn Read>>> {
    let source = input::open(path).with_context(|| format!("cannot read the capture {}", path.display()))?;
    let source = uncompressed(source).with_context(|| path.display().to_string())?;
    Reader::new(source).with_context(|| path.display().to_string())
}

fn has_cut_simple_blocks(path: &Path) -> Result<bool> {
    let mut reader = open(path)?;
    while let Some(item) = reader.next().with_context(|| path.display().to_string())? {
        if matches!(item, Item::Packet(packet) if packet.hangs_on_snapshot_length()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|kind| kind.is_file())
}
