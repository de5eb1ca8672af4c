//! Where files may be written that are made from a repository: nowhere in the repository.

use crate::packs;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use fieldtest_git::{Error, Options, Repository, destination};

/// A repository in a working tree with an alternate, whose references lie elsewhere behind a link, and a further working
/// tree of it.
fn lay_out(at: &Path) -> Repository {
    let git = at.join("work/.git");
    packs::empty_repository(&git);
    packs::empty_repository(&at.join("other.git"));
    fs::create_dir_all(git.join("objects/info")).unwrap();
    fs::write(git.join("objects/info/alternates"), "../../../other.git/objects\n").unwrap();
    fs::rename(git.join("refs"), at.join("refs-elsewhere")).unwrap();
    symlink(at.join("refs-elsewhere"), git.join("refs")).unwrap();
    let further = git.join("worktrees/further");
    fs::create_dir_all(&further).unwrap();
    fs::create_dir(at.join("further")).unwrap();
    fs::write(at.join("further/.git"), format!("gitdir: {}\n", further.display())).unwrap();
    fs::write(further.join("commondir"), "../..\n").unwrap();
    fs::write(further.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    Repository::open(&at.join("further"), &Options::default()).unwrap()
}

#[test]
fn no_output_is_written_into_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let repository = lay_out(at);
    symlink("work/.git/HEAD", at.join("to-a-file")).unwrap();
    symlink("work/.git/no-file-yet", at.join("to-nothing")).unwrap();
    symlink("to-nothing", at.join("to-a-link")).unwrap();
    symlink("work/.git/objects", at.join("to-a-folder")).unwrap();
    for refused in [
        "work/.git",
        "work/.git/HEAD",
        "work/.git/new",
        "work/.git/worktrees/further/index",
        "work/.git/objects/pack/pack-1.pack",
        "work/../work/.git/config",
        "other.git/objects/ab/new",
        "refs-elsewhere/heads/main",
        "to-a-file",
        "to-nothing",
        "to-a-link",
        "to-a-folder/new",
        "no-folder/../work/.git/new",
        "work/.git/no-folder/records.jsonl",
        "further/.git",
    ] {
        let checked = destination::check_output(&repository, &at.join(refused));
        assert!(
            matches!(checked, Err(Error::Repository { path, .. }) if path == at.join(refused)),
            "{refused}"
        );
    }
    for fine in ["map", "work/map", "work/.github/map", "work/no-folder/map", "further/map", "other.git/map"]
    {
        destination::check_output(&repository, &at.join(fine)).unwrap();
    }
}
