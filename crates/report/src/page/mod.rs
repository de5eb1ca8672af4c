//! The page: one HTML file that loads nothing, complete without JavaScript, in light and dark.

mod columns;
mod limits;
mod marks;
mod packed;
mod section_view;
mod view;

use askama::Template;
use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use crate::plot::svg::ANCHORS;
use crate::{Error, Report};

const STYLE: &str = include_str!("../../templates/report.css");
/// What people see of recommendations, tables and plots: pieces of one function behind that which decides.
const SCRIPT: &str = concat!(
    include_str!("../../templates/script/engine.js"),
    "(async () => {\n",
    include_str!("../../templates/script/elements.js"),
    include_str!("../../templates/script/marks.js"),
    include_str!("../../templates/script/address.js"),
    include_str!("../../templates/script/constraints.js"),
    include_str!("../../templates/script/tables.js"),
    include_str!("../../templates/script/page.js"),
    "})();\n",
);

pub(crate) fn page(report: &Report) -> Result<String, Error> {
    let (style, script) = (style(), bare(SCRIPT));
    let page = view::Page::new(report, &style, &script, policy);
    let page = page.render().map_err(|error| Error::Template(error.to_string()))?;
    // Nothing that steers the text around it; whatever else it could do is escaped already.
    Ok(fieldtest_text::document(&page).into_owned())
}

/// The style of a page, and of a memo.
pub(crate) fn style() -> String {
    bare(STYLE) + ANCHORS
}

/// What runs of a file that people read: without the comments that have lines of their own, and without indentation.
fn bare(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The content security policy: nothing may be loaded, and no script or style runs but the two that the page carries,
/// whatever a name in the records holds. The script may compile WebAssembly (`'wasm-unsafe-eval'`), which it carries, too.
pub(crate) fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", Base64::encode_string(&Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    )
}
