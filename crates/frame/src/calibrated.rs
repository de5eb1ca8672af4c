//! The calibration of this machine: where it is kept, and what it makes of intervals.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use fieldtest_measure::coverage::UNCALIBRATED;
use fieldtest_measure::record::{self, Host};
use fieldtest_study::calibration::Calibration;
use serde::{Deserialize, Serialize};

use crate::output;

/// A calibration with the machine that it is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// The machine's identifier in records.
    pub host: String,
    /// The program's version.
    pub version: String,
    /// When it was made, RFC 3339.
    pub made: String,
    /// What it found.
    pub found: Calibration,
}

impl Calibrated {
    /// How many times as wide intervals are to be: never less than without a calibration, whose few contenders of one sort hold
    /// more often than real code does.
    pub fn widening(&self) -> f64 {
        self.found.widening.unwrap_or(WIDEST).max(UNCALIBRATED)
    }

    /// What the records of a run say of it.
    pub fn told(&self) -> record::Calibrated {
        let Calibration { coverage, layout, .. } = self.found;
        record::Calibrated { made: self.made.clone(), coverage, widening: self.widening(), layout }
    }

    /// What a reader of a study's records should know of it.
    pub fn remark(&self) -> String {
        let date = self.made.get(..10).unwrap_or(&self.made);
        let held = format!(
            "calibrated on {date}: intervals held in {:.0}% of the following runs",
            100.0 * self.found.coverage
        );
        format!("{held} and are made {:.2} times as wide", self.widening())
    }
}

/// What is assumed where no width helped.
const WIDEST: f64 = 20.0;

/// A directory that a variable names; that specification ignores paths that are not absolute.
pub(crate) fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where the calibration of a machine is kept, by the XDG Base Directory Specification; `None` without a home.
pub fn place(host: &Host) -> Option<PathBuf> {
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("fieldtest").join(format!("calibration-{}.json", host.id)))
}

/// The calibration of this machine by this version, if there is one that can be read. By no other version,
/// since the code-layout effect that it contains belongs to one build.
pub fn load(host: &Host) -> Option<Calibrated> {
    let text = fs::read(place(host)?).ok()?;
    let found: Calibrated = serde_json::from_slice(&text).ok()?;
    (found.host == host.id && found.version == env!("CARGO_PKG_VERSION")).then_some(found)
}

/// Keeps a calibration; returns where.
///
/// # Errors
/// No home, and what the system says.
pub fn save(host: &Host, found: Calibration) -> Result<PathBuf> {
    let place =
        place(host).context("no home directory to save the calibration in; set HOME or XDG_STATE_HOME")?;
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let calibrated = Calibrated {
        host: host.id.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made: jiff::Timestamp::now().to_string(),
        found,
    };
    output::own_file(&place, serde_json::to_string_pretty(&calibrated)?.as_bytes())?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_calibration_narrows_intervals() {
        let factor = |widening: Option<f64>| {
            let found = serde_json::json!({ "runs": 6, "seconds": 12.0, "coverage": 0.8, "widening": widening, "half_width": 0.0,
                "layout": 0.0, "false_differences": 0.0, "told": [1.0, 1.0] });
            let kept = serde_json::json!({ "host": "", "version": "", "made": "", "found": found });
            serde_json::from_value::<Calibrated>(kept).unwrap().widening()
        };
        assert_eq!([Some(0.4), Some(1.3), Some(2.5), None].map(factor), [1.3, 1.3, 2.5, 20.0]);
    }
}
