//! What the name of an output leads to, and what becomes of it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::bail;
use fieldtest_frame::outcome::{Usage, code};
use fieldtest_frame::output::{self, Existing, Output};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(TempDir::new().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a file");
        path
    }

    fn link(&self, to: impl AsRef<Path>, name: &str) -> PathBuf {
        symlink(to, self.path(name)).expect("a link");
        self.path(name)
    }

    fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a directory");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).expect("a file").mode() & 0o7777
    }
}

/// Why a file cannot be written: the code and the words.
fn refusal(path: &Path) -> (String, String) {
    let refused = output::file(path, b"new").expect_err("it cannot be written");
    let checked = output::check_place(path).expect_err("nor will it be");
    let [refused, checked] = [refused, checked].map(|error| (code(&error), format!("{error:#}")));
    assert_eq!(refused, checked);
    refused
}

#[test]
fn a_new_file_is_as_any_program_would_make_it() {
    let scratch = Scratch::new();
    File::create(scratch.path("plain")).expect("a file");
    output::file(&scratch.path("new"), b"content").expect("written");
    assert_eq!(scratch.read("new"), "content");
    assert_eq!(scratch.mode("new"), scratch.mode("plain"));
    assert_eq!(scratch.names(), ["new", "plain"]);
}

#[test]
fn a_file_that_is_replaced_leaves_its_permissions() {
    let scratch = Scratch::new();
    for mode in [0o600, 0o640, 0o664, 0o755, 0o4711] {
        let path = scratch.write("file", "old and longer");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
        output::file(&path, b"new").expect("written");
        assert_eq!((scratch.read("file").as_str(), scratch.mode("file")), ("new", mode & 0o777));
    }
    output::secret_file(&scratch.path("fresh"), b"key").expect("written");
    assert_eq!((scratch.read("fresh").as_str(), scratch.mode("fresh")), ("key", 0o600));
}

#[test]
fn what_is_there_is_kept_unless_it_is_the_same() {
    let scratch = Scratch::new();
    let path = scratch.write("a.txt", "precious");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions");
    for content in ["one", "one", "two"] {
        output::file(&path, content.as_bytes()).expect("written");
        assert_eq!(scratch.read("a.txt"), content);
    }
    assert_eq!(scratch.names(), ["a.1.txt", "a.2.txt", "a.txt"]);
    assert_eq!((scratch.read("a.1.txt").as_str(), scratch.mode("a.1.txt")), ("precious", 0o600));
    assert_eq!(scratch.read("a.2.txt"), "one");
    // Of the same length, and longer than a buffer.
    for last in [1, 2] {
        output::file(&path, &[vec![7; 1 << 17], vec![last]].concat()).expect("written");
    }
    assert_eq!(fs::read(scratch.path("a.4.txt")).expect("kept").last(), Some(&1));
    output::own_file(&path, b"own").expect("written");
    assert_eq!(scratch.names().len(), 5);
    // A file that comes to nothing leaves all as it was.
    output::whole_file(&path, |_| Err::<(), _>(anyhow::anyhow!("no input"))).expect_err("refused");
    assert_eq!((scratch.names().len(), scratch.read("a.txt").as_str()), (5, "own"));
    let refused = output::secret_file(&path, b"key").expect_err("it is there");
    assert_eq!((code(&refused).as_str(), scratch.read("a.txt").as_str()), ("exists", "own"));
}

#[test]
fn links_are_followed_and_stay() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("elsewhere/deep")).expect("directories");
    scratch.write("elsewhere/file", "old");
    // A chain through other directories, relative and absolute, to a file and to nothing yet.
    let chain = scratch.link("elsewhere/deep/second", "first");
    scratch.link("../third", "elsewhere/deep/second");
    scratch.link(scratch.path("elsewhere/file"), "elsewhere/third");
    output::file(&chain, b"new").expect("written");
    assert_eq!(scratch.read("elsewhere/file"), "new");
    let dangling = scratch.link("elsewhere/fresh", "dangling");
    output::file(&dangling, b"fresh").expect("written");
    assert_eq!(scratch.read("elsewhere/fresh"), "fresh");
    // Through a directory that is a link: `..` is the parent of where that leads.
    scratch.link("elsewhere/deep", "short");
    scratch.link("../beside", "elsewhere/deep/up");
    output::file(&scratch.path("short/up"), b"beside").expect("written");
    assert_eq!(scratch.read("elsewhere/beside"), "beside");
    for link in ["first", "elsewhere/deep/second", "elsewhere/third", "dangling", "elsewhere/deep/up"] {
        assert!(fs::symlink_metadata(scratch.path(link)).expect("there").is_symlink(), "{link}");
    }
    assert_eq!(scratch.names(), ["dangling", "elsewhere", "first", "short"]);
}

#[test]
fn links_that_lead_nowhere() {
    let scratch = Scratch::new();
    scratch.link("b", "a");
    scratch.link("a", "b");
    scratch.link("missing/file", "c");
    assert_eq!(refusal(&scratch.path("a")).0, "link-circle");
    assert!(refusal(&scratch.path("a/file")).1.contains("symbolic links"));
    assert_eq!(refusal(&scratch.path("c")).0, "no-directory");
    assert_eq!(scratch.names(), ["a", "b", "c"]);
}

#[test]
fn another_name_keeps_the_old_content() {
    let scratch = Scratch::new();
    let path = scratch.write("file", "old");
    fs::hard_link(&path, scratch.path("kept")).expect("a hard link");
    output::file(&path, b"new").expect("written");
    assert_eq!((scratch.read("file").as_str(), scratch.read("kept").as_str()), ("new", "old"));
}

#[test]
fn devices_are_written_through() {
    let scratch = Scratch::new();
    let null = scratch.link("/dev/null", "null");
    output::file(&null, b"gone").expect("written");
    assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
    let full = scratch.link("/dev/full", "full");
    let error = output::file(&full, b"no room").expect_err("it is full");
    assert!(format!("{error:#}").contains("No space left"), "{error:#}");
    assert!(output::is_stream(&null).expect("a place"));
    assert!(!output::is_stream(&scratch.path("file")).expect("a place"));
    // Nothing is in them that could be lost.
    let out = Output::create(&null, Existing::Refuse).expect("written through");
    assert!(out.is_stream());
    out.commit().expect("all is written");
    assert_eq!(scratch.names(), ["full", "null"]);
}

#[test]
fn a_device_of_ones_own_stays_one() {
    let scratch = Scratch::new();
    let path = scratch.path("null");
    // Only root may make devices; /dev/null is 1:3 (admin-guide/devices.txt of Linux).
    let device = rustix::fs::makedev(1, 3);
    if mknodat(CWD, &path, FileType::CharacterDevice, Mode::RUSR | Mode::WUSR, device).is_err() {
        return;
    }
    // A file system that is mounted without devices refuses, and replaces it as little.
    let _ = output::file(&path, b"gone");
    assert!(fs::metadata(&path).expect("it is there").file_type().is_char_device());
    assert_eq!(scratch.names(), ["null"]);
}

#[test]
fn a_fifo_takes_everything_and_stays() {
    let scratch = Scratch::new();
    let fifo = scratch.fifo("fifo");
    let reader = {
        let fifo = fifo.clone();
        thread::spawn(move || fs::read(fifo).expect("its content").len())
    };
    output::whole_file(&fifo, |out| Ok(out.write_all(&vec![7; 1 << 20])?)).expect("written");
    assert_eq!(reader.join().expect("a reader"), 1 << 20);
    assert!(fs::metadata(&fifo).expect("it is there").file_type().is_fifo());
    assert_eq!(scratch.names(), ["fifo"]);
}

#[test]
fn a_reader_that_goes_away() {
    let scratch = Scratch::new();
    let fifo = scratch.fifo("fifo");
    let reader = {
        let fifo = fifo.clone();
        thread::spawn(move || File::open(fifo).and_then(|mut file| file.read_exact(&mut [0; 9])))
    };
    let error =
        output::whole_file(&fifo, |out| Ok(out.write_all(&vec![7; 1 << 20])?)).expect_err("nobody reads");
    reader.join().expect("a reader").expect("nine bytes");
    assert_eq!(code(&error), "reader-left");
    assert!(error.to_string().contains(&fifo.display().to_string()), "{error}");
}

#[test]
fn an_open_file_by_its_number_goes_on_where_it_is() {
    let scratch = Scratch::new();
    let mut file = File::create(scratch.path("file")).expect("a file");
    file.write_all(b"before ").expect("written");
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    for name in [format!("/dev/fd/{number}"), format!("/proc/self/fd/{number}")] {
        output::file(Path::new(&name), b"through ").expect("written");
    }
    let link = scratch.link(format!("/dev/fd/{number}"), "link");
    output::file(&link, b"the link").expect("written");
    assert_eq!(scratch.read("file"), "before through through the link");
    // A socket cannot be opened by its name in /dev/fd.
    let (mut reader, writer) = std::os::unix::net::UnixStream::pair().expect("sockets");
    let name = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writer));
    output::file(Path::new(&name), b"through").expect("written");
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("its content");
    assert_eq!(text, "through");
    let error = output::file(Path::new("/dev/fd/999"), b"nowhere").expect_err("it is not open");
    assert!(format!("{error:#}").contains("/dev/fd/999"), "{error:#}");
    assert_eq!(scratch.names(), ["file", "link"]);
}

#[test]
fn what_cannot_be_written_is_said_before_and_after() {
    let scratch = Scratch::new();
    scratch.write("file", "");
    let _listener = UnixListener::bind(scratch.path("socket")).expect("a socket");
    for (name, why) in [
        ("", "directory"),
        (".", "directory"),
        ("..", "directory"),
        ("missing/file", "no-directory"),
        ("missing/", "no-directory"),
        ("file/below", "not-a-directory"),
        ("socket", "socket"),
    ] {
        assert_eq!(refusal(&scratch.path(name)).0, why, "{name}");
    }
    assert!(refusal(Path::new("")).1.contains("is empty"));
    assert_eq!(scratch.names(), ["file", "socket"]);
    assert_eq!(scratch.read("file"), "");
}

#[test]
fn what_may_not_be_written() {
    let scratch = Scratch::new();
    let file = scratch.write("file", "old");
    fs::create_dir(scratch.path("locked")).expect("a directory");
    let modes = |directory, mode| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("permissions");
        fs::set_permissions(scratch.path("locked"), fs::Permissions::from_mode(directory))
            .expect("permissions");
    };
    modes(0o500, 0o400);
    // Root may do everything.
    if File::options().write(true).open(&file).is_err() {
        assert!(refusal(&file).1.contains("chmod u+w"));
        assert_eq!(refusal(&scratch.path("locked/new")).0, "no-access");
    }
    modes(0o700, 0o600);
    assert_eq!(scratch.read("file"), "old");
}

#[test]
fn nothing_is_left_of_what_fails() {
    let scratch = Scratch::new();
    let path = scratch.write("file", "old");
    let fails = |path: &Path| {
        output::whole_file(path, |out| {
            out.write_all(&vec![1; 1 << 20])?;
            if true {
                bail!("the work failed");
            }
            Ok(())
        })
        .expect_err("it failed")
        .to_string()
    };
    assert_eq!(fails(&path), "the work failed");
    assert_eq!(fails(&scratch.path("new")), "the work failed");
    drop(Output::create(&scratch.path("new"), Existing::Replace).expect("begun"));
    assert_eq!(
        (scratch.read("file").as_str(), scratch.names().as_slice()),
        ("old", &["file".to_owned()][..])
    );
}

#[test]
fn errors_keep_the_words_that_they_have() {
    let scratch = Scratch::new();
    let no_input = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let error = output::whole_file(&scratch.path("new"), |_| {
        Err::<(), _>(anyhow::Error::from(no_input()).context("cannot read the input"))
    });
    let error = format!("{:#}", error.expect_err("it failed"));
    assert!(error.contains("cannot read the input"), "{error}");
    let error = output::whole_file(&scratch.path("new"), |_| Err::<(), _>(no_input().into()));
    let error = format!("{:#}", error.expect_err("it failed"));
    assert!(error.starts_with(&format!("cannot write {}: ", scratch.path("new").display())), "{error}");
}

#[test]
fn a_file_is_written_at_any_offset() {
    let scratch = Scratch::new();
    let path = scratch.path("image");
    let out = Output::create(&path, Existing::Refuse).expect("begun");
    assert!(!out.is_stream());
    thread::scope(|scope| {
        for at in 0..4u8 {
            let file = out.file();
            scope.spawn(move || file.write_all_at(&[at; 4], u64::from(3 - at) * 4).expect("written"));
        }
    });
    let mut back = [0; 4];
    out.file().read_exact_at(&mut back, 4).expect("read");
    assert_eq!(back, [2; 4]);
    assert!(!path.exists(), "nobody sees half of it");
    out.commit().expect("complete");
    assert_eq!(fs::read(&path).expect("a file"), [3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn what_is_there_is_kept_where_that_is_asked() {
    let scratch = Scratch::new();
    let path = scratch.write("file", "old");
    let error = Output::create(&path, Existing::Refuse).expect_err("it is there").to_string();
    assert!(error.contains("already exists"), "{error}");
    // Also if it came while the new one was written.
    let late = scratch.path("late");
    let out = Output::create(&late, Existing::Refuse).expect("nothing is there");
    scratch.write("late", "someone else's");
    let error = out.commit().expect_err("it is there now").to_string();
    assert!(error.contains("already exists"), "{error}");
    assert_eq!((scratch.read("file").as_str(), scratch.read("late").as_str()), ("old", "someone else's"));
    assert_eq!(scratch.names(), ["file", "late"]);
}

#[test]
fn many_at_once_and_long_names() {
    let scratch = Scratch::new();
    let long = "n".repeat(255);
    thread::scope(|scope| {
        for at in 0..8 {
            let (path, own) = (scratch.path(&long), scratch.path(&format!("own-{at}")));
            scope.spawn(move || {
                output::own_file(&path, &vec![b'0' + at; 1 << 16]).expect("written");
                output::file(&own, &[b'0' + at]).expect("written");
            });
        }
    });
    let content = scratch.read(&long);
    assert!(content.len() == 1 << 16 && content.bytes().all(|byte| byte == content.as_bytes()[0]));
    assert_eq!(scratch.names().len(), 9, "{:?}", scratch.names());
    output::file(&scratch.path(&long), b"new").expect("written");
    assert_eq!(scratch.read(&format!("{}.1", "n".repeat(253))), content);
}

#[test]
fn keys_lie_beside_files_only() {
    let scratch = Scratch::new();
    let folder = |path: &Path| output::folder_beside(path, "--keys DIRECTORY");
    assert_eq!(folder(&scratch.path("zone")).expect("a directory"), scratch.0.path());
    assert_eq!(folder(Path::new("no-such-zone")).expect("a directory"), Path::new("."));
    for stream in [PathBuf::from("-"), "/dev/null".into(), "/dev/stdout".into(), scratch.fifo("fifo")] {
        let error = folder(&stream).expect_err("no directory");
        assert!(error.is::<Usage>(), "{error}");
        assert!(error.to_string().contains("--keys DIRECTORY"), "{error}");
    }
}

#[test]
fn what_is_read_is_replaced_by_nothing() {
    let scratch = Scratch::new();
    let path = scratch.write("read", "kept");
    output::reads(&path, "the study, which would be lost");
    let link = scratch.link(&path, "link");
    for name in [&path, &link] {
        for refused in [output::check_place(name), output::file(name, b"new"), output::check_keeps(name, [])]
        {
            let told = refused.expect_err("it is read");
            assert_eq!(code(&told), "would-be-lost");
            assert!(told.to_string().contains("is the study, "), "{told}");
        }
    }
    assert_eq!(scratch.read("read"), "kept");
    output::file(&scratch.path("beside"), b"new").expect("nobody reads it");
}
