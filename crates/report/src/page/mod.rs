//! The page: one HTML file that loads nothing, complete without JavaScript, in light and dark.

mod limits;
mod phrases;
mod view;

use askama::Template;
use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use crate::{Error, Report};

const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// Writes the page.
pub(crate) fn page(report: &Report) -> Result<String, Error> {
    let page = view::Page::new(report, policy());
    let page = page.render().map_err(|error| Error::Template(error.to_string()))?;
    // Nothing that steers the text around it; whatever else it could do is escaped already.
    Ok(fieldtest_text::document(&page).into_owned())
}

/// The content security policy: nothing may be loaded, and no script or style runs but the two that the page carries,
/// whatever a name in the records holds.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", Base64::encode_string(&Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}
