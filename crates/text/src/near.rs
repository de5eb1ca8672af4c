//! Which known name is meant by one that nothing has.

/// The nearest of the known names, if at most a third of the letters differ: `mayo-1` is no suggestion for `foo`, though
/// nothing may be nearer.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str| name.trim_start_matches('-').to_owned();
    let typed = letters(typed);
    let far = known.into_iter().map(|name| (distance(&typed, &letters(name)), name));
    let near = far.filter(|(far, name)| far * 3 <= typed.chars().count().max(letters(name).chars().count()));
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// The question whether the nearest of the known names is meant, behind a semicolon; nothing if none is near.
pub fn meant<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

/// Letters that differ, where two that have changed places count as one (the optimal string alignment distance).
pub fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|name| name.chars().collect::<Vec<char>>());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_differ() {
        let known = ["--threads", "--thorough", "seed"];
        for (typed, wanted) in [
            ("--thread", Some("--threads")),
            ("--htreads", Some("--threads")),
            ("sede", Some("seed")),
            ("--quite", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), wanted, "{typed}");
        }
        assert_eq!((distance("ab", "ba"), distance("", "abc"), distance("é", "e")), (1, 3, 1));
    }
}
