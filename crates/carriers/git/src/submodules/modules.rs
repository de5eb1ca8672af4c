//! `.gitmodules`: paths of submodules and the URLs of their repositories (gitmodules(5)).

use std::collections::HashMap;

use crate::Objects;
use crate::repository::config;

/// The URLs of submodules by their paths.
#[derive(Debug, Default)]
pub(super) struct Modules(HashMap<String, String>);

impl Modules {
    /// Nobody writes so many octets of it by hand; what is larger is not read.
    const LARGEST: u64 = 16 << 20;

    /// The file of this number. One that is not there, or that Git could not read, says nothing.
    pub(super) fn read(objects: &Objects, file: Option<u32>) -> Modules {
        let mut content = Vec::new();
        let small = |number: &u32| objects.size(*number).is_ok_and(|size| size <= Self::LARGEST);
        match file.filter(small).map(|number| objects.read(number, &mut content)) {
            Some(Ok(_)) => Modules::parse(&content),
            _ => Modules::default(),
        }
    }

    fn parse(text: &[u8]) -> Modules {
        let Ok(variables) = config::parse(text) else { return Modules::default() };
        // By name: the last word on each holds.
        let mut named: HashMap<String, [Option<String>; 2]> = HashMap::new();
        for variable in variables.into_iter().filter(|variable| variable.section == "submodule") {
            let Some(name) = variable.subsection else { continue };
            let [path, url] = named.entry(name).or_default();
            match variable.name.as_str() {
                "path" => *path = variable.value,
                "url" => *url = variable.value,
                _ => {}
            }
        }
        let pairs = named.into_values().filter_map(|[path, url]| {
            Some((path?.trim_end_matches('/').to_owned(), url.filter(|url| !url.is_empty())?))
        });
        Modules(pairs.collect())
    }

    pub(super) fn url(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_urls() {
        let text = concat!(
            "[submodule \"lib\"]\n\tpath = libs/lib/\n\turl = ../old\n\turl = ../lib.git\n",
            "[submodule \"no path\"]\n url = ./x\n[submodule \"no url\"]\n path = y\n url =\n[other \"a\"]\n path = z\n url = z\n",
        );
        let modules = Modules::parse(text.as_bytes());
        assert_eq!(modules.url("libs/lib"), Some("../lib.git"));
        assert_eq!(modules.0.len(), 1);
        assert_eq!(Modules::parse(b"[submodule \"a\npath = b").0.len(), 0);
    }
}
