//! `fieldtest dnssec internet`: an internet until Ctrl-C, or until it was seen to be as it should be.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use fieldtest_dns_internet::internet::Internet;
use fieldtest_dns_internet::namespace::Entered;
use fieldtest_dns_internet::verdict::{self, Verdicts};
use fieldtest_dns_internet::zones::{self, Files};
use fieldtest_dns_internet::{InternetError, Level};
use fieldtest_frame::interrupt;
use fieldtest_frame::progress::Progress;
use serde_json::json;

use crate::args;
use crate::internet::{Folder, KNOWING, World, is_interrupted};
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

const LOOK: Duration = Duration::from_millis(100);
const TOLD: usize = 20;
/// The top-level domain whose keys are broken for a check: the second one, as the others are around it.
const BROKEN: usize = 2;

pub(crate) fn run(args: &args::Internet, format: Format) -> Result<Outcome> {
    const FORMS: [Format; 2] = [Format::Human, Format::Json];
    format.one_of(&FORMS, "fieldtest dnssec internet reports as text or JSON")?;
    let world = World::enter(&args.world)?;
    if args.check && world.signs_online() {
        return Err(usage(
            "--check flips a bit in a file's signatures, but compact denial has no such file; omit one of the two options",
        ));
    }
    let stop = interrupt::flag();
    match work(args, &world, format, stop) {
        Err(error) if is_interrupted(&error) => Ok(Outcome::Interrupted),
        Err(error) if matches!(error.downcast_ref(), Some(InternetError::UnknownAlgorithm { .. })) => {
            Err(coded("unknown-algorithm", anyhow!(world.told_unknown(&args.algorithm))))
        }
        other => other,
    }
}

fn work(args: &args::Internet, world: &World, format: Format, stop: &AtomicBool) -> Result<Outcome> {
    let folder = Folder::new()?;
    let files = {
        let progress = Progress::new();
        progress.say(&format!("signing {}", output::count(world.plan.zones().len(), "zone")));
        world.sign(&args.algorithm, &folder.within("zones")?, stop)?
    };
    let running = folder.within("run")?;
    let serve = || -> Result<Internet<'_>, InternetError> {
        let mut internet =
            Internet::serve(&world.plan, &files, world.place, &world.programs, &running, stop)?;
        internet.resolve_afresh(stop)?;
        Ok(internet)
    };
    if args.check {
        return check(world, &args.algorithm, &files, format, stop, &serve);
    }
    let mut internet = serve()?;
    tell(world, &files, format)?;
    while !stop.load(Ordering::Relaxed) {
        internet.check()?;
        std::thread::sleep(LOOK);
    }
    Ok(Outcome::Interrupted)
}

fn tell(world: &World, files: &Files, format: Format) -> Result<()> {
    let place = world.place;
    // A namespace is entered by a process that lives in it.
    let process = std::process::id();
    if format == Format::Json {
        return super::report(&json!({
            "resolver": place.resolver().to_string(),
            "servers": Level::ALL.map(|level| json!({ "level": level.word(), "address": place.servers(level).to_string() })),
            "zones": world.plan.zones().len(),
            "hosts": world.plan.hosts().len(),
            "signatures": files.signatures,
            "bytes": files.octets,
            "files": files.directory.to_string_lossy(),
            "private network": place.is_private(),
            "process": process,
        }));
    }
    let mut lines = vec![world.told()];
    lines.push(format!(
        "{} in {}",
        output::count(files.signatures as usize, "signature"),
        files.directory.display()
    ));
    for level in Level::ALL {
        lines.push(format!("name servers of the level {level}: {}", place.servers(level)));
    }
    let resolver = place.resolver();
    lines.push(format!("the resolver: {resolver}"));
    let host = world.plan.hosts().first().map(ToString::to_string).unwrap_or_default();
    let dig = format!("dig @{} -p {} +dnssec {host}", resolver.ip(), resolver.port());
    // Nobody may enter the user namespace that he is in.
    let enter = match world.entered {
        None => String::new(),
        Some(Entered::Network) => format!("nsenter --net -t {process} "),
        Some(Entered::UserAndNetwork) => format!("nsenter --user --preserve-credentials --net -t {process} "),
    };
    lines.push(format!("ask it: {enter}{dig}"));
    lines.push("Ctrl-C ends all of it".to_owned());
    output::data(&(lines.join("\n") + "\n"))
}

/// Everything is secure; then, with one bit turned, everything at or below a TLD is bogus and nothing else.
fn check<'a>(
    world: &World,
    algorithm: &str,
    files: &Files,
    format: Format,
    stop: &AtomicBool,
    serve: &dyn Fn() -> Result<Internet<'a>, InternetError>,
) -> Result<Outcome> {
    let opts_out = |place| world.opts_out(place);
    let place = BROKEN.min(world.plan.shape().tlds as usize);
    let zone = world.plan.zones()[place].name;
    let mut found: Vec<(String, Verdicts)> = Vec::new();
    for broken in [None, Some(place)] {
        if broken.is_some() {
            zones::flip(files, place, &zone)?;
        }
        let mut internet = serve()?;
        let said = verdict::of_all(&mut internet, broken, &opts_out, stop)?;
        let what = match broken {
            None => "as signed".to_owned(),
            Some(_) => format!("with a flipped bit in the signatures over the keys of {zone}"),
        };
        // A resolver that knows none of the algorithms has nothing more to show.
        let blind = said.secure == 0 && said.insecure == said.wrong.len() as u64;
        found.push((what, said));
        if blind {
            break;
        }
    }
    let wrong: usize = found.iter().map(|(_, said)| said.wrong.len()).sum();
    if format == Format::Json {
        super::report(&json!(found.iter().map(|(what, said)| json!({
            "internet": what, "secure": said.secure, "not proved, within opt-out": said.unproved, "bogus": said.bogus,
            "wrong": said.wrong,
        })).collect::<Vec<_>>()))?;
    } else {
        let mut lines = Vec::new();
        for (what, said) in &found {
            let unproved = match said.unproved {
                0 => String::new(),
                more => format!(", {more} within opt-out"),
            };
            let Verdicts { secure, bogus, .. } = said;
            lines.push(format!(
                "{what}: {secure} secure{unproved}, {bogus} bogus, {} not as expected",
                said.wrong.len()
            ));
            if said.insecure == said.wrong.len() as u64 {
                continue;
            }
            lines.extend(said.wrong.iter().take(TOLD).map(|fault| format!("  {fault}")));
            if let more @ 1.. = said.wrong.len().saturating_sub(TOLD) {
                lines.push(format!("  and {more} more; --format json lists all"));
            }
        }
        output::data(&(lines.join("\n") + "\n"))?;
    }
    if found.iter().any(|(_, said)| said.insecure > 0) {
        output::message(&format!(
            "answers without AD that should be secure: {} does not support every algorithm used: {}; {}",
            world.programs.resolver.program.display(),
            world.numbers(algorithm).join(", "),
            KNOWING
        ));
    }
    Ok(if wrong == 0 { Outcome::Fine } else { Outcome::Failed })
}
