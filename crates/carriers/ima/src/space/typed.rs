//! A file system in words: `ext4:inode-size=512,ea-inode`. What is not said is the default of the tool that makes it.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::{Btrfs, Erofs, Ext4, F2fs, FileSystem, Squashfs, Tmpfs, Xfs};

/// Why words are no file system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum TypedError {
    /// There is no model of it.
    #[error("unknown file system '{0}'; expected ext4, xfs, btrfs, f2fs, squashfs, erofs or tmpfs")]
    Unknown(String),
    /// Nothing stands between two commas, or beside one.
    #[error("expected options separated by commas, such as ext4:inode-size=512,ea-inode")]
    Empty(String),
    #[error("unknown option '{option}' of {kind}; {}", if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) })]
    Option { kind: String, option: String, known: Vec<&'static str> },
    #[error("{0} does not take a value; omit it")]
    Value(&'static str),
    /// No number, or one out of range.
    #[error("expected {option} of {}, not '{typed}'", if *most == u64::MAX { format!("at least {least}") } else { format!("{least} to {most}") })]
    Number { option: &'static str, typed: String, least: u64, most: u64 },
    #[error("expected a power of two for {option}, not '{number}'")]
    Power { option: &'static str, number: u64 },
}

type Result<T> = std::result::Result<T, TypedError>;

impl FromStr for FileSystem {
    type Err = TypedError;

    fn from_str(typed: &str) -> Result<FileSystem> {
        parse(typed)
    }
}

fn parse(typed: &str) -> Result<FileSystem> {
    let (kind, options) = typed.split_once(':').unwrap_or((typed, ""));
    if !options.is_empty() && options.split(',').any(str::is_empty) {
        return Err(TypedError::Empty(typed.to_owned()));
    }
    let mut options = Options::of(options);
    let file_system = match kind {
        "ext4" | "ext3" | "ext2" => FileSystem::Ext4(ext4(&mut options)?),
        "xfs" => {
            let default = Xfs::default();
            FileSystem::Xfs(Xfs {
                inode_size: options.power("inode-size", 256..=2048, default.inode_size)?,
                block_size: options.power("block-size", 512..=65_536, default.block_size)?,
                checksums: !options.flag("no-checksums")?,
            })
        }
        "btrfs" => {
            let default = Btrfs::default();
            FileSystem::Btrfs(Btrfs {
                node_size: options.power("node-size", 4096..=65_536, default.node_size)?,
                copies: options.number("copies", 1..=4, default.copies)?,
                ..default
            })
        }
        "f2fs" => {
            let default = F2fs::default();
            FileSystem::F2fs(F2fs {
                block_size: options.power("block-size", 4096..=65_536, default.block_size)?,
                inline_size: options.number("inline-size", 0..=3568, default.inline_size)?,
            })
        }
        "squashfs" => FileSystem::Squashfs(Squashfs),
        "erofs" => {
            let default = Erofs::default();
            FileSystem::Erofs(Erofs {
                block_size: options.power("block-size", 512..=65_536, default.block_size)?,
            })
        }
        "tmpfs" => {
            FileSystem::Tmpfs(Tmpfs { inodes: Some(options.number("inodes", 1..=u64::MAX, 1 << 20)?) })
        }
        other => {
            return Err(TypedError::Unknown(other.to_owned()));
        }
    };
    options.finish(kind)?;
    Ok(file_system)
}

fn ext4(options: &mut Options<'_>) -> Result<Ext4> {
    let default = Ext4::default();
    let block_size = options.power("block-size", 1024..=65_536, default.block_size)?;
    let inode_size = options.power("inode-size", 128..=block_size, default.inode_size)?;
    Ok(Ext4 {
        inode_size,
        extra_isize: default.extra_isize,
        block_size,
        cluster_size: options.power("cluster-size", block_size..=1 << 29, block_size)?,
        ea_inode: options.flag("ea-inode")?,
        shares: default.shares,
    })
}

/// The options that were not asked for yet, and the names of those that were.
struct Options<'a> {
    left: Vec<(&'a str, Option<&'a str>)>,
    known: Vec<&'static str>,
}

impl<'a> Options<'a> {
    fn of(typed: &'a str) -> Options<'a> {
        let options = typed.split(',').filter(|option| !option.is_empty());
        let pairs = options.map(|option| match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        });
        Options { left: pairs.collect(), known: Vec::new() }
    }

    /// The value of an option, if it was typed; the last one counts.
    fn take(&mut self, name: &'static str) -> Option<Option<&'a str>> {
        self.known.push(name);
        let value = self.left.iter().rev().find(|(typed, _)| *typed == name).map(|(_, value)| *value);
        self.left.retain(|(typed, _)| *typed != name);
        value
    }

    fn flag(&mut self, name: &'static str) -> Result<bool> {
        match self.take(name) {
            None => Ok(false),
            Some(None) => Ok(true),
            Some(Some(_)) => Err(TypedError::Value(name)),
        }
    }

    fn number(&mut self, name: &'static str, range: RangeInclusive<u64>, default: u64) -> Result<u64> {
        let Some(value) = self.take(name) else { return Ok(default) };
        let typed = value.unwrap_or_default().to_owned();
        let number = typed.parse().ok().filter(|number| range.contains(number));
        number.ok_or(TypedError::Number { option: name, typed, least: *range.start(), most: *range.end() })
    }

    fn power(&mut self, name: &'static str, range: RangeInclusive<u64>, default: u64) -> Result<u64> {
        let number = self.number(name, range, default)?;
        match number.is_power_of_two() {
            true => Ok(number),
            false => Err(TypedError::Power { option: name, number }),
        }
    }

    /// Refuses what nobody asked for.
    fn finish(self, kind: &str) -> Result<()> {
        let Some((unknown, _)) = self.left.first() else { return Ok(()) };
        Err(TypedError::Option { kind: kind.to_owned(), option: (*unknown).to_owned(), known: self.known })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_and_options() {
        let read = |typed| parse(typed).expect(typed);
        assert_eq!(read("ext4"), FileSystem::Ext4(Ext4::default()));
        assert_eq!(read("xfs:"), FileSystem::Xfs(Xfs::default()));
        let small =
            Ext4 { inode_size: 512, block_size: 1024, cluster_size: 1024, ea_inode: true, ..Ext4::default() };
        assert_eq!(read("ext4:inode-size=512,block-size=1024,ea-inode"), FileSystem::Ext4(small));
        assert_eq!(read("btrfs:copies=1"), FileSystem::Btrfs(Btrfs { copies: 1, ..Btrfs::default() }));
        assert_eq!(read("f2fs:inline-size=0"), FileSystem::F2fs(F2fs { inline_size: 0, ..F2fs::default() }));
    }

    #[test]
    fn what_no_file_system_is() {
        for (typed, word) in [
            ("ntfs", "expected ext4"),
            ("", "expected ext4"),
            ("ext4:inode-size=300", "power of two"),
            ("ext4:inode-size=8192", "128 to 4096"),
            ("ext4:inode-size", "128 to 4096"),
            ("ext4:ea-inode=1", "take a value"),
            ("xfs:node-size=1", "inode-size, block-size, no-checksums"),
            ("squashfs:x", "it has none"),
            ("tmpfs:inodes=0", "at least 1"),
        ] {
            let error = parse(typed).expect_err(typed).to_string();
            assert!(error.contains(word), "{typed}: {error}");
        }
    }
}
