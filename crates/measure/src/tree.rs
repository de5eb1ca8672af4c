//! Where the facts of a machine are read: `/proc`, `/sys` and `/etc` below a root that tests can replace.

use std::path::{Path, PathBuf};

/// A file system tree with `proc`, `sys` and `etc` in it.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
}

impl Default for Tree {
    fn default() -> Self {
        Self::below("/")
    }
}

impl Tree {
    /// The tree below `root`.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The content of a file without surrounding white space; `None` where it is missing, unreadable or not text.
    pub fn read(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim().to_owned())
    }

    /// Whether something stands at `path`.
    pub fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(Path::new(path).strip_prefix("/").unwrap_or(Path::new(path)))
    }
}

/// The value of the first `key: value` line, as `/proc/cpuinfo`, `/proc/meminfo` and `/proc/self/status` have them.
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value.trim())
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A tree in the temporary directory, removed when dropped.
    pub(crate) struct FakeTree(PathBuf);

    impl FakeTree {
        pub(crate) fn with(files: &[(&str, &str)]) -> Self {
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let name = format!("fieldtest-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
            let fake = Self(std::env::temp_dir().join(name));
            files.iter().for_each(|(path, content)| fake.write(path, content));
            fake
        }

        pub(crate) fn write(&self, path: &str, content: &str) {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
            std::fs::write(path, content).expect("a file");
        }

        pub(crate) fn tree(&self) -> Tree {
            Tree::below(&self.0)
        }
    }

    impl Drop for FakeTree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn reads_below_its_root() {
        let fake = FakeTree::with(&[("proc/loadavg", "0.1 0.2 0.3 1/2 3\n")]);
        assert_eq!(fake.tree().read("/proc/loadavg").as_deref(), Some("0.1 0.2 0.3 1/2 3"));
        assert_eq!(fake.tree().read("proc/loadavg"), fake.tree().read("/proc/loadavg"));
        assert_eq!(fake.tree().read("/proc/none"), None);
        assert!(fake.tree().has("/proc") && !fake.tree().has("/sys"));
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 167\nmodel name\t: A: processor\nempty:\n";
        assert_eq!(field(text, "model name"), Some("A: processor"));
        assert_eq!(field(text, "model"), Some("167"));
        assert_eq!(field(text, "empty"), Some(""));
        assert_eq!(field(text, "name"), None);
    }
}
