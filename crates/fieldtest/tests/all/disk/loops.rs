//! Containers whose loop device somebody uses. This needs root.

use std::os::unix::fs::OpenOptionsExt as _;

use super::*;

/// A loop device from an offset of a file on, for as long as this lives.
struct Loop(String);

impl Loop {
    fn on(storage: &Path, offset: &str) -> Option<Loop> {
        let losetup = ["--find", "--show", "--offset", offset];
        let output = Command::new("losetup").args(losetup).arg(storage).output().ok()?;
        output.status.success().then(|| Loop(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

#[test]
fn what_is_mounted_through_a_loop_device_is_left_alone() {
    let scratch = with_container("aes-xts-plain64");
    scratch.write("out", pattern(SIZE));
    let (Some(data), Some(out)) =
        (Loop::on(&scratch.path("luks"), "16777216"), Loop::on(&scratch.path("out"), "0"))
    else {
        missing("loop devices are not to be had: they need root and losetup");
        return;
    };
    // Exclusively, as `mount` opens it.
    let taken = |device: &Loop| {
        let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
        OpenOptions::new().read(true).custom_flags(exclusive).open(&device.0).expect("a loop device")
    };
    let used = (taken(&data), taken(&out));
    let (before, old) = (bytes(&scratch, "luks"), bytes(&scratch, "out"));
    let (code, words) = ((1, "attached"), ["luks is", &data.0, "unmount", "losetup -d"]);
    scratch.refuses(&["disk", "copy", "plain", "luks", "-d", "key", "--overwrite"], code, &words);
    scratch.refuses(&["disk", "serve", "luks", "-d", "key", "-l", "socket"], 1, &words);
    scratch.refuses(&["disk", "repair", "luks"], code, &words);
    for more in [&["--size", "1M"][..], &["--from", "plain"], &[]] {
        let format = [&["disk", "format", "luks", "--overwrite"][..], more, &CHEAP, &BY_FILE].concat();
        scratch.refuses(&format, code, &words);
    }
    let copy = ["disk", "copy", "luks", "out", "-d", "key", "--overwrite"];
    scratch.refuses(&copy, code, &["out is", &out.0]);
    assert!(bytes(&scratch, "luks") == before && bytes(&scratch, "out") == old);
    // Reading harms nobody, and nor does a loop device that nobody uses.
    scratch.fine(&["disk", "copy", "luks", "new", "-d", "key"]);
    drop(used);
    scratch.fine(&["disk", "copy", "plain", "luks", "-d", "key", "--overwrite"]);
    assert!(bytes(&scratch, "new") == bytes(&scratch, "plain"));
}
