//! Lists in which nothing stands twice, in the order in which it was met.

/// Each of them once.
pub fn each_once<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// Each key once, with everything that it stands before.
pub fn by_key<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut found: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => found.push((key, vec![value])),
        }
    }
    found
}
