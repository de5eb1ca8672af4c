//! Records to what people read: terminal tables, Markdown, CSV, JSON, and one self-contained HTML page.
//!
//! A report reads records and nothing else, so it can be built again from a records file on any machine.
//!
//! * [`Table`] is what every listing of the program is made of.
//! * [`Report`] takes the lines of a records file and holds the tables that decide, study by study; figures that no
//!   table asks for stand in a table of their own, so that nothing is lost.
//! * [`Report::html`] writes the page: tables and plots are complete without JavaScript, nothing is loaded.
//!
//! The page is made with askama, since a template that is a file of HTML can be read and changed by someone who knows
//! HTML, and its values are escaped unless a template says otherwise.

mod error;
mod html;
mod mark;
pub mod number;
mod report;
mod summary;
mod table;

pub use error::Error;
pub use mark::{LIMITS, Limit, fit, severity, status, verdict};
pub use report::{Report, Section};
pub use table::{Cell, Format, Kind, Mark, Table, Tone, Value};
