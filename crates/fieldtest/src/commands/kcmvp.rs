//! `fieldtest kcmvp`: requests of the Korean validation programme, answered.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use fieldtest_catalog::kind::{Aead, Cipher, Kind, Mac};
use fieldtest_catalog::{self as catalog, Implementation, Wanted};
use fieldtest_frame::{input, text};
use fieldtest_kcmvp::{Answered, Asked, Code, Mode, SHORTEST_TAG, answer};
use fieldtest_report::{Kind as Column, Table};

use crate::args;
use crate::commands::records::STDIN;
use crate::outcome::{Outcome, coded, of_option, usage};
use crate::output::{self, Format};

pub(crate) fn run(command: &args::Kcmvp, format: Format) -> Result<Outcome> {
    match command {
        args::Kcmvp::Answer(args) => answer_all(args, format),
    }
}

struct Response {
    request: PathBuf,
    place: PathBuf,
    asked: Asked,
    implementation: &'static str,
    answered: Answered,
}

fn answer_all(args: &args::KcmvpAnswer, format: Format) -> Result<Outcome> {
    if args.requests.len() > 1 && (args.output.is_some() || args.name.is_some()) {
        return Err(usage("-o and --as apply to a single request; give one request, or omit them"));
    }
    let mut proven = BTreeMap::new();
    let mut responses = Vec::new();
    // All are answered before the first is written.
    for request in &args.requests {
        match response(request, args, &mut proven)? {
            Ok(response) => responses.push(response),
            Err(unproven) => {
                output::message(&unproven);
                return Ok(Outcome::ProofFailed);
            }
        }
    }
    let mut table = Table::new("Requests answered")
        .column("request", Column::Text)
        .column("asks for", Column::Text)
        .column("implementation", Column::Text)
        .column("questions", Column::number("count"))
        .column("response", Column::Text);
    let mut takes_standard_output = false;
    for (at, response) in responses.iter().enumerate() {
        for other in &responses[..at] {
            output::check_apart(&other.place, &response.place)?;
        }
    }
    for Response { request, place, asked, implementation, answered } in responses {
        // Kept, not replaced: official answers lie next to their requests under the very name that ours get.
        output::file(&place, &answered.text)?;
        if answered.short_tags > 0 {
            output::message(&format!(
                "{}: {} of {} questions have tags of fewer than {} bits, which the programme does not validate for GCM",
                text::path(&request),
                answered.short_tags,
                answered.questions,
                8 * SHORTEST_TAG
            ));
        }
        takes_standard_output |= place == Path::new(output::STDOUT);
        table.row([
            text::path(&request).into(),
            asked.to_string().into(),
            implementation.into(),
            (answered.questions as f64).into(),
            text::path(&place).into(),
        ]);
    }
    // Where the answers go to standard output, they have it for themselves.
    if !takes_standard_output {
        output::table(&table, format)?;
    }
    Ok(Outcome::Fine)
}

/// What is known of implementations' proofs: why one failed.
type Proven = BTreeMap<(String, &'static str), Option<String>>;

/// Answers one request, unless whoever should do not reproduce known answers.
fn response(
    request: &Path,
    args: &args::KcmvpAnswer,
    proven: &mut Proven,
) -> Result<Result<Response, String>> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None if request == Path::new(STDIN) => {
            return Err(usage(
                "standard input has no file name to identify the test; give one with --as LEA128(CBC)MMT",
            ));
        }
        None => {
            // The name of what is no file says nothing.
            let found =
                fs::metadata(request).with_context(|| format!("cannot read {}", text::path(request)))?;
            if found.is_dir() {
                bail!(coded(
                    "directory",
                    anyhow!("cannot read {}: it is a directory; give its .req files", text::path(request))
                ));
            }
            request.file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
    };
    let asked: Asked = name.parse().map_err(|error| match args.name {
        Some(_) => of_option("--as", error),
        None => usage(format!("{error}, or give such a name with --as")),
    })?;
    let place = match &args.output {
        Some(place) => place.clone(),
        None if request == Path::new(STDIN) => output::STDOUT.into(),
        None => request.with_extension("rsp"),
    };
    output::check_keeps(&place, [(request, "the request, which would be lost")])?;
    output::check_place(&place)?;
    let bytes = read(request).with_context(|| format!("cannot read {}", text::path(request)))?;
    let algorithm = asked.algorithm();
    let wanted = args.implementation.as_deref();
    let answered = match asked.mode {
        Mode::Ecb | Mode::Cbc | Mode::Ctr => {
            let found = found::<Cipher>(&algorithm, wanted)?;
            (found.name, prove(&algorithm, found, proven), answer(&bytes, asked, Code::Cipher(&*found.code)))
        }
        Mode::Gcm | Mode::Ccm => {
            let found = found::<Aead>(&algorithm, wanted)?;
            (found.name, prove(&algorithm, found, proven), answer(&bytes, asked, Code::Aead(&*found.code)))
        }
        Mode::Cmac => {
            let found = found::<Mac>(&algorithm, wanted)?;
            (found.name, prove(&algorithm, found, proven), answer(&bytes, asked, Code::Mac(&*found.code)))
        }
    };
    let (implementation, failure, answered) = answered;
    if let Some(failure) = failure {
        return Ok(Err(failure));
    }
    let answered = answered.with_context(|| text::path(request))?;
    Ok(Ok(Response { request: request.to_owned(), place, asked, implementation, answered }))
}

fn found<K: Kind>(algorithm: &str, wanted: Option<&str>) -> Result<&'static Implementation<K>> {
    catalog::find::<K>(algorithm).map_err(usage)?.served(Wanted::only(wanted)).map_err(usage)
}

/// Has it reproduce its known answers, once. Why it does not.
fn prove<K: Kind>(algorithm: &str, found: &Implementation<K>, proven: &mut Proven) -> Option<String> {
    let failure = || found.kat().err().map(|error| format!("{algorithm} of {}: {error}", found.name));
    proven.entry((algorithm.to_owned(), found.name)).or_insert_with(failure).clone()
}

/// Bytes that no request has.
const TOO_MANY: u64 = 64 << 20;

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input: Box<dyn Read> = match path == Path::new(STDIN) {
        true => Box::new(input::stdin()),
        false => Box::new(input::open(path)?),
    };
    input.take(TOO_MANY).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        TOO_MANY => bail!("it has 64 MiB or more, which is too long for a request; give a .req file"),
        _ => Ok(bytes),
    }
}
