//! Repositories that Git made are read as Git reads them: every object, type, size, delta chain and reference.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::git::{git, git_runs, is_installed};
use crate::repositories::{objects, verified};
use fieldtest_git::{Error, ObjectId, Objects, Options, Reference, Repository, Target};

fn open(path: &Path) -> Result<Repository, Error> {
    Repository::open(path, &Options::default())
}

/// A working tree with a history of files that grow, tags, and a symbolic reference.
fn history(format: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main", "--object-format", format, "."]);
    fs::create_dir(path.join("sub")).unwrap();
    let mut text = String::new();
    for step in 0..30 {
        for line in 0..40 {
            text.push_str(&format!("line {line} of step {}\n", step * line));
        }
        fs::write(path.join("growing"), &text).unwrap();
        fs::write(path.join("sub").join(format!("{}", step % 7)), format!("{step}\n")).unwrap();
        git(path, &["add", "."]);
        git(path, &["commit", "-q", "-m", &format!("step {step}")]);
    }
    git(path, &["tag", "-a", "-m", "a tag", "v1"]);
    git(path, &["tag", "light", "HEAD~3"]);
    git(path, &["branch", "side/branch", "HEAD~5"]);
    git(path, &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    folder
}

fn compare(path: &Path) {
    let repository = open(path).unwrap();
    let report = verified(&repository);
    assert!(report.is_good(), "{report:?}");

    let objects = Objects::open(&repository).unwrap();
    let mut found: Vec<String> = (0..objects.len() as u32)
        .map(|number| {
            let id = ObjectId::from_bytes(objects.id(number)).unwrap();
            format!("{id} {} {}", objects.kind(number), objects.size(number).unwrap())
        })
        .collect();
    found.sort();
    let wanted = git(path, &["cat-file", "--batch-all-objects", "--batch-check"]);
    assert_eq!(found, wanted.lines().collect::<Vec<_>>());

    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for Reference { name, target } in repository.references().unwrap() {
        let target = match target {
            Target::Id(id) => id.to_string(),
            Target::Symbolic(name) => String::from_utf8(name).unwrap(),
        };
        found.insert(String::from_utf8(name).unwrap(), target);
    }
    let format = "--format=%(refname) %(if)%(symref)%(then)%(symref)%(else)%(objectname)%(end)";
    let wanted = git(path, &["for-each-ref", format]);
    let wanted = wanted.lines().filter_map(|line| line.split_once(' '));
    assert_eq!(found, wanted.map(|(name, target)| (name.to_owned(), target.to_owned())).collect());
    assert_eq!(repository.head().unwrap().target, Target::Symbolic(b"refs/heads/main".to_vec()));
}

/// The deltas of a pack are those that `git verify-pack` lists.
fn compare_deltas(path: &Path) {
    let objects = objects(path);
    let index = objects.packs()[0].path().with_extension("idx");
    let text = git(path, &["verify-pack", "-v", index.to_str().unwrap()]);
    let mut count = 0;
    for line in text.lines().take_while(|line| !line.starts_with("non delta")) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = objects.find(fields[0].parse::<ObjectId>().unwrap().as_bytes()).unwrap();
        let base =
            objects.base(number).map(|base| ObjectId::from_bytes(objects.id(base)).unwrap().to_string());
        assert_eq!(base.as_deref(), fields.get(6).copied(), "{line}");
        assert_eq!(objects.stored(number).inflated_size.to_string(), fields[2], "{line}");
        assert_eq!(objects.whereabouts(number).1.to_string(), fields[4], "{line}");
        count += usize::from(base.is_some());
    }
    assert!(count > 0, "no deltas at all");
}

#[test]
fn loose_and_packed_in_both_formats() {
    if !is_installed() {
        return;
    }
    for format in ["sha1", "sha256"] {
        let folder = history(format);
        let path = folder.path();
        compare(path);
        git(path, &["gc", "-q"]);
        compare(path);
        compare_deltas(path);
        // Loose objects beside the pack, and references beside the packed ones.
        fs::write(path.join("growing"), "short\n").unwrap();
        git(path, &["commit", "-q", "-a", "-m", "after the pack"]);
        compare(path);
        // Deltas on names, in an index of version 1.
        let settings = ["-c", "repack.useDeltaBaseOffset=false", "-c", "pack.indexVersion=1"];
        git(path, &[&settings[..], &["repack", "-qadf"]].concat());
        compare(path);
        compare_deltas(path);
        // Several packs with some objects twice.
        fs::write(path.join("growing"), "longer\n").unwrap();
        git(path, &["commit", "-q", "-a", "-m", "another pack"]);
        git(path, &["repack", "-q", "-a"]);
        compare(path);
        git(path, &["multi-pack-index", "write"]);
        compare(path);
    }
}

#[test]
fn other_layouts() {
    if !is_installed() {
        return;
    }
    let folder = history("sha1");
    let path = folder.path();
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();

    git(path, &["clone", "-q", "--bare", ".", &text("bare")]);
    compare(&at("bare"));
    // Objects of another repository.
    git(path, &["clone", "-q", "--shared", ".", &text("shared")]);
    fs::write(at("shared").join("growing"), "other\n").unwrap();
    git(&at("shared"), &["commit", "-q", "-a", "-m", "beside the alternate"]);
    compare(&at("shared"));
    assert_eq!(open(&at("shared")).unwrap().object_dirs().len(), 2);
    // A working tree beside the first, and a file instead of a directory.
    git(path, &["worktree", "add", "-q", &text("worktree"), "side/branch"]);
    let worktree = open(&at("worktree")).unwrap();
    assert_eq!(worktree.head().unwrap().target, Target::Symbolic(b"refs/heads/side/branch".to_vec()));
    assert_eq!(worktree.references().unwrap(), open(path).unwrap().references().unwrap());
    let heads = open(path).unwrap().worktree_heads().unwrap();
    assert_eq!(heads.len(), 1);
    assert_eq!(heads[0].name, b"worktrees/worktree/HEAD");
    assert!(open(&at("worktree").join(".git")).is_ok());
    git(path, &["clone", "-q", "--separate-git-dir", &text("separate"), ".", &text("tree")]);
    compare(&at("tree"));
}

#[test]
fn what_cannot_be_read_is_refused_with_a_remedy() {
    if !is_installed() {
        return;
    }
    let folder = history("sha1");
    let path = folder.path();
    let refusal = |path: &Path| match open(path) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error.to_string(),
    };
    assert!(refusal(&path.join("sub")).contains("Git repository"));
    assert!(refusal(&path.join("absent")).contains("no such file"));

    let out = tempfile::tempdir().unwrap();
    let shallow = out.path().join("shallow");
    let url = format!("file://{}", path.display());
    git(path, &["clone", "-q", "--depth", "2", &url, shallow.to_str().unwrap()]);
    assert!(refusal(&shallow).contains("--unshallow"));
    let options = Options { shallow: true, ..Options::default() };
    assert_eq!(Repository::open(&shallow, &options).unwrap().shallow().len(), 1);

    git(path, &["config", "uploadpack.allowFilter", "true"]);
    let partial = out.path().join("partial");
    git(path, &["clone", "-q", "--bare", "--filter=blob:none", &url, partial.to_str().unwrap()]);
    assert!(refusal(&partial).contains("partial clone"));
    let repository = Repository::open(&partial, &Options { partial: true, ..Options::default() }).unwrap();
    assert!(Objects::open(&repository).is_ok());

    for (name, value, wanted) in [
        ("extensions.refStorage", "reftable", "git refs migrate"),
        ("extensions.objectFormat", "sha512", "sha512"),
        ("extensions.somethingNew", "true", "somethingnew"),
        ("extensions.x.noop", "true", "x.noop"),
        ("extensions.preciousObjects", "perhaps", "perhaps"),
        ("core.repositoryFormatVersion", "2", "version 2"),
        ("core.repositoryFormatVersion", "1.0", "1.0"),
        ("core.repositoryFormatVersion", "010", "version 8"),
    ] {
        let file = path.join(".git/config");
        let before = fs::read(&file).unwrap();
        git(path, &["config", "core.repositoryFormatVersion", "1"]);
        git(path, &["config", name, value]);
        let refusal = refusal(path);
        assert!(refusal.contains(wanted) && refusal.contains("config"), "{refusal}");
        fs::write(&file, before).unwrap();
    }
    git(path, &["config", "extensions.objectFormat", "sha256"]);
    assert!(refusal(path).contains("version 0"));
}

/// Git judges the same lines.
#[test]
fn versions_and_extensions_as_git_reads_them() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    git(path, &["init", "-q", "--bare", "."]);
    let versions = "0,1,2,-1,00,01,010,0x0,0x1,0x2,0k,1k,1m,1g,+1,-0, 1,\"1\",,abc,1.0,true,99999999999";
    let versions =
        versions.split(',').map(|version| format!("[core]\nrepositoryformatversion = {version}\n"));
    let extensions = [
        "noop = true",
        "foo = 1",
        "preciousobjects = yes",
        "preciousobjects = xx",
        "noop-v1 = 1",
        "objectformat = sha1",
        "objectformat = SHA1",
        "[extensions \"x\"]\nfoo = 1",
        "[extensions \"noop\"]\nx = 1",
        "[extensions.x]\nfoo = 1",
        "[extensions \"\"]\nobjectformat = sha1",
    ];
    let extensions = extensions.iter().flat_map(|extension| {
        let version = |line: &str| format!("{line}[extensions]\n{extension}\n");
        ["", "[core]\nrepositoryformatversion = 0\n", "[core]\nrepositoryformatversion = 1\n"].map(version)
    });
    let others = ["[core]\nrepositoryformatversion\n", "[core \"x\"]\nrepositoryformatversion = 7\n"]
        .map(str::to_owned);
    for text in versions.chain(extensions).chain(others) {
        fs::write(path.join("config"), &text).unwrap();
        let is_read = git_runs(path, &["rev-parse", "--git-dir"]);
        let opened = open(path);
        assert_eq!(opened.is_ok(), is_read, "{text:?}: {opened:?}");
    }
}
