//! The options of sbatch that a job needs for itself (sbatch(1)).

/// Each with its letter, if it has one. What the first say the scripts say, or they would do something else than an item's work.
const OWN: [(&str, Option<char>); 16] = [
    ("array", Some('a')),
    ("chdir", Some('D')),
    ("error", Some('e')),
    ("help", Some('h')),
    ("input", Some('i')),
    ("job-name", Some('J')),
    ("no-requeue", None),
    ("open-mode", None),
    ("output", Some('o')),
    ("parsable", None),
    ("requeue", None),
    ("test-only", None),
    ("usage", None),
    ("version", Some('V')),
    ("wait", Some('W')),
    ("wrap", None),
];

/// The option that a profile gives although the job sets it itself. Names may be shortened (getopt_long(3)).
pub(super) fn own(option: &str) -> Option<String> {
    match option.strip_prefix("--") {
        Some(rest) => {
            let name = rest.split(['=', ' ', '\t']).next().unwrap_or_default();
            let found = OWN.iter().find(|(own, _)| !name.is_empty() && own.starts_with(name));
            found.map(|(own, _)| format!("--{own}"))
        }
        None => {
            let letter = option.strip_prefix('-').and_then(|rest| rest.chars().next());
            let found = OWN.iter().find(|(_, own)| own.is_some() && *own == letter);
            found.map(|(own, _)| format!("--{own}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::own;

    #[test]
    fn what_a_profile_may_say() {
        for (option, wanted) in [
            ("--array=0-3", "--array"),
            ("--out=x", "--output"),
            ("--wrap true", "--wrap"),
            ("-a0-3", "--array"),
            ("-J x", "--job-name"),
        ] {
            assert_eq!(own(option).as_deref(), Some(wanted), "{option}");
        }
        for option in
            ["--nice=100", "--constraint=zen4", "-p batch", "--wait-all-nodes=1", "--export=NONE", "--", "-"]
        {
            assert_eq!(own(option), None, "{option}");
        }
    }
}
