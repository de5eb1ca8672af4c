//! `fieldtest dnssec torture`: mutants of a zone, and what each validator that is installed says of them.

mod mutants;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use fieldtest_dns_internet::InternetError;
use fieldtest_dns_internet::server::Server;
use fieldtest_dnssec::denial::Denial;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan, Signer};
use fieldtest_dnssec::verify::{self, Options};
use fieldtest_dnssec::{Rtype, Zone};
use fieldtest_measure::Rng;
use fieldtest_report::{Cell, Table};

use super::remarks::Remarks;
use crate::algorithms::{code_points, resolver};
use crate::args::Torture;
use crate::internet::{Folder, tool};
use crate::interrupt;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};
use mutants::Records;

const PATIENCE: Duration = Duration::from_secs(10);
/// In words for the zone's name and its file.
const APEX: &str = "{apex}";
const FILE: &str = "{file}";
/// Validators with the ways to call them, of which the first is taken by which the intact zone is valid: BIND's takes a zone that one
/// key signs alone only with `-z`.
const JUDGES: [(&str, &[&[&str]]); 3] = [
    ("dnssec-verify", &[&["-q", "-x", "-o", APEX, FILE], &["-q", "-z", "-o", APEX, FILE]]),
    ("ldns-verify-zone", &[&[FILE]]),
    ("kzonecheck", &[&["-d", "on", "-o", APEX, FILE]]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepts,
    Warns,
    Refuses,
    /// It did not come to an end in time.
    Hangs,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Verdict::Accepts => "accepts",
            Verdict::Warns => "warns",
            Verdict::Refuses => "rejects",
            Verdict::Hangs => "hangs",
        }
    }
}

struct Judge {
    name: &'static str,
    program: PathBuf,
    words: &'static [&'static str],
}

/// Where zones are put before validators, and what they are asked with.
struct Court<'a> {
    apex: String,
    folder: PathBuf,
    stop: &'a AtomicBool,
}

impl Court<'_> {
    fn ask(&self, judge: &Judge, text: &[u8]) -> Result<Verdict> {
        let file = self.folder.join("zone");
        std::fs::write(&file, text)?;
        let mut asked = Server::start(
            judge.name,
            &judge.program,
            |command| {
                let word = |word: &&str| match *word {
                    APEX => self.apex.clone().into(),
                    FILE => file.clone().into_os_string(),
                    other => other.into(),
                };
                command.args(judge.words.iter().map(word)).current_dir(&self.folder)
            },
            self.folder.join("log"),
            "install it again",
        )?;
        match asked.finish(Instant::now() + PATIENCE, self.stop) {
            Ok(true) => Ok(Verdict::Accepts),
            Ok(false) | Err(InternetError::Interrupted) => Ok(Verdict::Hangs),
            Err(InternetError::Server { .. }) => Ok(Verdict::Refuses),
            Err(other) => Err(other.into()),
        }
    }

    /// Those that are installed and take the intact zone; says which are not, or do not.
    fn judges(&self, intact: &[u8]) -> Result<Vec<Judge>> {
        let mut judges = Vec::new();
        for (name, ways) in JUDGES {
            let Ok(program) = tool(Path::new(name)) else {
                output::message(&format!("{name} is not installed, so it is skipped"));
                continue;
            };
            let before = judges.len();
            for words in ways {
                let judge = Judge { name, program: program.clone(), words };
                if self.ask(&judge, intact)? == Verdict::Accepts {
                    judges.push(judge);
                    break;
                }
            }
            if judges.len() == before {
                output::message(&format!("{name} rejects the unchanged zone, so it is skipped"));
            }
        }
        Ok(judges)
    }
}

fn own_verdict(text: &[u8], zone: &Zone, now: u32) -> Verdict {
    let path = Path::new("mutant");
    let Ok(zone) = fieldtest_dnssec::read(text, path, Some(*zone.apex())) else { return Verdict::Refuses };
    let Ok(table) = code_points("iana", &[]) else { return Verdict::Refuses };
    let options = Options { resolve: &resolver(&table, None), now: Some(now), anchors: &[] };
    match verify::verify(&zone, &options).is_secure() {
        false => Verdict::Refuses,
        true if Remarks::of(&zone, &Denial::Nsec).warnings.is_empty() => Verdict::Accepts,
        true => Verdict::Warns,
    }
}

pub(crate) fn run(args: &Torture, format: Format) -> Result<Outcome> {
    let zone = super::load(&args.zone)?;
    if let Some(directory) = &args.keep {
        super::present(directory)?;
    }
    let zone = signed(zone, args.algorithm.as_deref())?;
    let now = crate::typed::now();
    let records = Records::of(&zone);
    let intact = records.text(None);
    if own_verdict(&intact, &zone, now) == Verdict::Refuses {
        let what = "the unchanged zone is not valid; `fieldtest dnssec verify` lists the faults";
        return Err(coded("zone-not-valid", anyhow!(what)));
    }
    let mut mutants = records.mutants();
    let all = mutants.len();
    Rng::new(args.seed).shuffle(&mut mutants);
    mutants.truncate(args.count.map_or(all, |count| count as usize));

    let folder = Folder::new()?;
    let stop = interrupt::flag();
    let court = Court { apex: zone.apex().to_string(), folder: folder.within("torture")?, stop };
    let judges = court.judges(&intact)?;
    let late = Instant::now() + Duration::from_secs(args.budget);
    let title = format!("Mutants of {} on which validators disagree", zone.apex());
    let mut table = Table::new(title).texts(["mutant", "fieldtest"]).texts(judges.iter().map(|it| it.name));
    let (mut tried, mut missed) = (0, 0);
    let mut refusals = vec![0; judges.len() + 1];
    for mutant in &mutants {
        if Instant::now() >= late {
            break;
        }
        let text = records.text(Some(mutant));
        let mut verdicts = vec![own_verdict(&text, &zone, now)];
        for judge in &judges {
            verdicts.push(court.ask(judge, &text)?);
        }
        if interrupt::asked() {
            break;
        }
        tried += 1;
        for (count, verdict) in refusals.iter_mut().zip(&verdicts) {
            *count += usize::from(*verdict == Verdict::Refuses);
        }
        let (own, others) = (verdicts[0], &verdicts[1..]);
        missed +=
            usize::from(mutant.is_signed && own == Verdict::Accepts && others.contains(&Verdict::Refuses));
        // A warning agrees with either.
        if others.iter().all(|it| *it == others[0] && (*it == own || own == Verdict::Warns)) {
            continue;
        }
        let cells = verdicts.iter().map(|verdict| Cell::from(verdict.word()));
        table.row(std::iter::once(Cell::from(mutant.what.as_str())).chain(cells));
        if let Some(directory) = &args.keep {
            let file = directory.join(format!("{:04}.zone", table.len()));
            output::whole_file(&file, |out| Ok(std::io::Write::write_all(out, &text)?))?;
        }
    }
    let names = std::iter::once("fieldtest").chain(judges.iter().map(|it| it.name));
    let refused: Vec<String> =
        names.zip(&refusals).map(|(name, count)| format!("{name} rejects {count}")).collect();
    let agreed = match judges.is_empty() {
        true => "no other validator was run, so nothing was compared".to_owned(),
        false => format!("all agree on {}", tried - table.len()),
    };
    let told = format!(
        "{} of {all}, seed {}: {}; {agreed}",
        output::count(tried, "mutant"),
        args.seed,
        refused.join(", "),
    );
    output::table(&table, format)?;
    output::message(&told);
    Ok(match missed {
        _ if interrupt::asked() => Outcome::Interrupted,
        0 => Outcome::Fine,
        _ => Outcome::Failed,
    })
}

/// The zone, signed by new keys if it is not signed.
fn signed(zone: Zone, algorithm: Option<&str>) -> Result<Zone> {
    let name = algorithm.unwrap_or("ed25519");
    // Also where it is not used.
    crate::typed::algorithm(name)?;
    if zone.rrset(zone.apex().as_wire(), Rtype::DNSKEY).is_some() {
        let why = || coded("no-effect", anyhow!("--algorithm has no effect: the zone is signed; remove it"));
        return if algorithm.is_none() { Ok(zone) } else { Err(why()) };
    }
    let table = code_points("iana", &[]).map_err(usage)?;
    let (code_point, implementation) = super::algorithm(&table, name, None)?;
    let make =
        |key_use| ZoneKey::generate(*zone.apex(), key_use, code_point.clone(), implementation.code.as_ref());
    let now = crate::typed::now();
    let keys = vec![make(KeyUse::KeySigning)?, make(KeyUse::ZoneSigning)?];
    let plan = Plan { denial: Denial::of(&zone), ..Plan::new(keys, [now - 3_600, now + 86_400]) };
    let mut text = Vec::new();
    Signer::new(&zone, &plan)?.write(Form::Text, &mut text)?;
    Ok(fieldtest_dnssec::read(&text[..], Path::new("the signed zone"), Some(*zone.apex()))?)
}
