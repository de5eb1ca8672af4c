//! What is typed to decide: the properties that each carrier's users ask for are its options.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs};
use fieldtest_frame::arguments::examples;
use fieldtest_report::advice::{COMMON, COMMON_MEANINGS, Demand, Property};

use crate::carriers::study_sections;

/// Every carrier has properties of its own, which [`with_properties`] adds as options.
#[derive(Debug, ClapArgs)]
pub(crate) struct Advise {
    /// Records of one machine [default: none; decide by sizes and facts only]
    #[arg(value_name = "FILE.jsonl")]
    pub(crate) records: Vec<PathBuf>,
    /// Decide for this carrier only [can be repeated]
    #[arg(long = "carrier", short, value_name = "NAME")]
    pub(crate) carriers: Vec<String>,
    /// Require at least the strength of this algorithm
    #[arg(long, value_name = "ALGORITHM")]
    pub(crate) replaces: Option<String>,
    /// Mark each asset of a CycloneDX 1.6 or 1.7 inventory: keep, replace by a year, or look (a person must decide); - for
    /// standard input
    #[arg(long, value_name = "FILE.json", conflicts_with = "replaces")]
    pub(crate) cbom: Option<PathBuf>,
    /// Policy for --cbom
    #[arg(long, value_name = "NAME", default_value = "nist")]
    #[arg(value_parser = ["nist", "cnsa", "bsi", "anssi", "asd"], requires = "cbom")]
    pub(crate) policy: String,
    /// Write the marked inventory to FILE, whose suffix selects the format: .cdx.json, .sarif, .csv, .json, .md or .html
    /// [can be repeated]
    #[arg(long = "output", short, value_name = "FILE")]
    pub(crate) outputs: Vec<PathBuf>,
    /// Rank by this property: an option below that takes a number, without dashes, such as max-answer [default: see
    /// docs/advise.md]
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) by: Option<String>,
}

/// What people decide about each carrier, as examples.
pub(super) fn decided() -> String {
    examples(
        &study_sections()
            .iter()
            .filter_map(|study_section| study_section.decision?.example)
            .collect::<Vec<_>>(),
    )
}

/// The commands that decide.
const DECIDING: [&str; 2] = ["advise", "memo"];

/// All commands, with an option for every property where one decides.
pub(super) fn with_properties(all: clap::Command) -> clap::Command {
    DECIDING.into_iter().fold(all, |all, command| {
        all.mut_subcommand(command, |it| it.args(properties().iter().map(constraint)))
    })
}

pub(crate) fn constraints(typed: &ArgMatches) -> Vec<(String, String)> {
    let deciding = DECIDING.into_iter().find_map(|command| typed.subcommand_matches(command));
    let Some(deciding) = deciding else { return Vec::new() };
    let of = |id: &str| {
        let values: Vec<&str> = deciding.get_many::<String>(id)?.map(String::as_str).collect();
        Some((id.to_owned(), values.join(",")))
    };
    properties().iter().filter_map(|(property, _)| of(property.id)).collect()
}

/// Every property that algorithms are decided by, with the carriers whose it is; none for those of all.
fn properties() -> Vec<(Property, Option<&'static str>)> {
    let own = study_sections()
        .iter()
        .filter_map(|study_section| study_section.decision)
        .flat_map(|decision| decision.own.iter().map(|property| (*property, Some(decision.study))));
    let mut all: Vec<(Property, Option<&'static str>)> = COMMON.into_iter().map(|it| (it, None)).collect();
    for (property, carrier) in own {
        match all.iter_mut().find(|(known, _)| known.id == property.id) {
            Some((_, of)) => *of = None,
            None => all.push((property, carrier)),
        }
    }
    all
}

/// The option that asks for a property.
fn constraint((property, carrier): &(Property, Option<&'static str>)) -> Arg {
    let title = property.title;
    let decisions = study_sections().iter().filter_map(|study_section| study_section.decision);
    let mut meanings = decisions.flat_map(|decision| decision.meanings).chain(&COMMON_MEANINGS);
    let meaning = meanings.find(|(id, _)| *id == property.id).map(|(_, meaning)| *meaning);
    let (value, words) = match property.demand {
        Demand::AtMost(unit) => {
            (placeholder(unit), meaning.map_or_else(|| format!("Maximum of {title}"), str::to_owned))
        }
        Demand::AtLeast(unit) => {
            (placeholder(unit), meaning.map_or_else(|| format!("Minimum of {title}"), str::to_owned))
        }
        Demand::AllOf => (
            "NAMES",
            format!("Only algorithms {title} all of these, separated by commas; `anyone`: by any product"),
        ),
        Demand::OneOf(["yes", "no"]) => {
            ("YES|NO", format!("{}; `no`: only others, `any`: both", meaning.unwrap_or(title)))
        }
        Demand::OneOf(words) => {
            ("WORDS", format!("Only this {title}, or several separated by commas: {}", words.join(", ")))
        }
    };
    let range = if value == "SHARE" { ", 0–1 or 0–100%" } else { "" };
    let of = carrier.map(|carrier| format!("{carrier}: ")).unwrap_or_default();
    let heading = if carrier.is_some() {
        "Constraints for one carrier (`any` removes a constraint)"
    } else {
        "Constraints for several carriers (`any` removes a constraint)"
    };
    let action = if property.demand == Demand::AllOf { ArgAction::Append } else { ArgAction::Set };
    Arg::new(property.id)
        .action(action)
        .long(property.id)
        .value_name(value)
        .help(format!("{of}{words}{range}{}", default(property.id)))
        .help_heading(heading)
}

/// What stands for a number of this unit.
fn placeholder(unit: &str) -> &'static str {
    match unit {
        "bits" => "BITS",
        "bytes" => "BYTES",
        "category" => "LEVEL",
        "count" => "COUNT",
        "cycles" => "CYCLES",
        "cycles/byte" => "CYCLES/BYTE",
        "ns" => "NS",
        "per-second" => "PER-SECOND",
        "share" => "SHARE",
        _ => "NUMBER",
    }
}

/// The default constraint on a property, with the carriers that have it where others have another or none.
fn default(id: &str) -> String {
    let (mut by_value, mut others) = (Vec::<(&str, Vec<&str>)>::new(), 0);
    for decision in study_sections().iter().filter_map(|study_section| study_section.decision) {
        match decision.usual.iter().find(|(property, _)| *property == id) {
            None => others += usize::from(decision.property(id).is_some()),
            Some((_, value)) => match by_value.iter_mut().find(|(known, _)| known == value) {
                Some((_, carriers)) => carriers.push(decision.study),
                None => by_value.push((*value, vec![decision.study])),
            },
        }
    }
    match by_value.as_slice() {
        [] => String::new(),
        [(value, _)] if others == 0 => format!(" [default: {value}]"),
        several => {
            let each = several.iter().map(|(value, carriers)| format!("{value} ({})", carriers.join(", ")));
            format!(" [default: {}]", each.collect::<Vec<_>>().join("; "))
        }
    }
}
