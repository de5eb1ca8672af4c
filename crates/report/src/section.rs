use serde::Serialize;

use crate::table::Table;

/// What a report says of one subject: a study, the security of the candidates, what is proven.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// A short name of lower-case letters, digits and hyphens.
    pub id: String,
    /// The heading.
    pub title: String,
    /// One or two sentences that say what the tables show.
    pub lead: String,
    /// Which algorithm to use by the usual constraints, and what may be wrong with that; empty where nothing decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recommendation: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
}

/// `text` in the letters that an HTML identifier and a URL take without quoting.
pub(crate) fn identifier(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
    }
    out.trim_end_matches('-').to_owned()
}
