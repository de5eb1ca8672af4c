//! Records to what people read: terminal tables, Markdown, CSV, JSON, and one self-contained HTML page.
//!
//! A report reads records and nothing else, so it can be built again from a records file on any machine.
//!
//! * [`Table`] is what every listing of the program is made of.
//! * [`Report`] takes the lines of a records file and holds the tables that decide, study by study; results that no
//!   table asks for stand in a table of their own, so that nothing is lost.
//! * [`StudySection`] is what a report says of one study. Whoever measures brings it along; [`tables`] and [`plot`]
//!   are what it is made of.
//! * [`advice`] decides for one carrier: who has what is asked, in order, and why the others have not.
//! * [`compare`] holds runs against each other: what changed, and what cannot be told.
//! * [`gate`] decides for continuous integration whether a run may take another's place.
//! * [`Hosts`] shows the reports of several machines as one.
//! * [`Report::html`] writes the page: tables and plots are complete without JavaScript, nothing is loaded.
//!
//! The page is made with askama, since a template that is a file of HTML can be read and changed by someone who knows
//! HTML, and its values are escaped unless a template says otherwise.
//!
//! ```
//! use fieldtest_report::{Cell, Format, Kind, Table};
//!
//! let mut table = Table::new("Signatures").column("algorithm", Kind::Text).column("size", Kind::number("bytes"));
//! table.row([Cell::from("ed25519"), Cell::from(64.0)]).row([Cell::from("ml-dsa-44"), Cell::from(2420.0)]);
//! assert!(table.render(Format::Csv).contains("ml-dsa-44,2420"));
//! ```

pub mod advice;
mod check;
pub mod compare;
pub mod difference;
mod error;
mod fact;
pub mod gate;
mod hosts;
#[cfg(test)]
mod made_up;
mod memo;
pub mod once;
mod other_data;
mod page;
pub mod plot;
mod rebase;
mod render;
mod report;
mod result;
mod section;
mod sections;
mod study_section;
pub mod symbols;
mod table;
pub mod tables;

pub use error::Error;
pub use fieldtest_verdict::number;
pub use hosts::Hosts;
pub use memo::Memo;
pub use other_data::other_data;
pub use report::Report;
pub use section::Section;
pub use study_section::{Picture, StudySection, StudySections};
pub use table::{Cell, Format, Kind, Mark, Table, Tone, Value};
