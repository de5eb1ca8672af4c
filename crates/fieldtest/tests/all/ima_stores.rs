//! What `fieldtest ima` makes of stores that call their parts by digests, of formats that are no archives, and of estimates
//! that a program reads.

use std::fs;

use crate::ima::keygen;
use crate::ima_archives::archive;
use crate::ima_plans::rows;
use crate::scratch::Scratch;

const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[test]
fn stores_are_refused_whole_and_nothing_in_them_is_written() {
    let scratch = Scratch::new();
    let (key, _) = keygen(&scratch, "ml-dsa-44");
    fs::create_dir_all(scratch.path("pool/oci/blobs/sha256")).unwrap();
    fs::create_dir_all(scratch.path("pool/repo/objects/01")).unwrap();
    scratch.write("pool/oci/oci-layout", "{}");
    scratch.write(&format!("pool/oci/blobs/sha256/{DIGEST}"), archive("bin/a", b"a"));
    scratch.write(&format!("pool/repo/objects/01/{}.filez", &DIGEST[2..]), "object");
    // A layer that lies there by itself, and archives as others call them.
    scratch.write(&format!("pool/{DIGEST}"), archive("bin/b", b"b"));
    scratch.write("pool/image.tar", archive("oci-layout", b"{}"));
    scratch.write("pool/package.tar", b"!<arch>\ndebian-binary");
    scratch.write("pool/fine.tar", archive("bin/c", b"c"));
    scratch.write("pool/layer", b"\x1f\x8b compressed");
    let packages = format!("ima packages pool signed --job job --key {key} --format json");
    let run = scratch.run(&packages);
    assert_eq!(run.code, Some(1), "{run:?}");
    let status = |row: &serde_json::Value| {
        [&row["package"], &row["status"]].map(|cell| cell.as_str().unwrap().to_owned())
    };
    let mut found: Vec<[String; 2]> = rows(&run).iter().map(status).collect();
    found.sort();
    let refused = |name: &str| [name.to_owned(), "rejected".to_owned()];
    let mut expected = vec![["fine.tar".to_owned(), "done".to_owned()]];
    expected.extend([DIGEST, "image.tar", "oci", "package.tar", "repo"].map(refused));
    expected.sort();
    assert_eq!(found, expected, "{run:?}");
    let signed: Vec<_> =
        fs::read_dir(scratch.path("signed")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(signed.iter().all(|name| name == "fine.tar" || name == ".fresh"), "{signed:?}");
    // What is compressed and called nothing is named: nobody knows whether it is an archive.
    assert!(run.stderr.contains(": layer"), "{run:?}");

    for inside in ["pool/oci", "pool/oci/blobs/sha256", "pool/repo/objects"] {
        let packages = format!("ima packages {inside} new --job new-job --key {key}");
        scratch.refuses(&packages, (2, "addressed"), &[]);
        for store in ["sidecar", "manifest -o new"] {
            let sign = format!("ima sign {inside} --key {key} --store {store}");
            scratch.refuses(&sign, (1, "addressed"), &[]);
        }
    }
    fs::create_dir(scratch.path("compressed")).unwrap();
    scratch.write("compressed/layer", b"\x1f\x8b compressed");
    let packages = format!("ima packages compressed new --job new-job --key {key}");
    scratch.refuses(&packages, 1, &["compressed", "layer"]);
    // What was unpacked beside the parts is a tree like any other.
    fs::create_dir(scratch.path("pool/oci/unpacked")).unwrap();
    scratch.write("pool/oci/unpacked/file", "content");
    scratch.fine(&format!("ima sign pool/oci/unpacked --store sidecar --key {key}"));
    scratch.fine(&format!("ima sign pool/oci --store manifest --key {key} --force"));
    for (archive, code) in [("image.tar", "addressed"), ("package.tar", "foreign")] {
        let path = format!("pool/{archive}");
        let sign = format!("ima sign {path} --store tar --key {key} -o new.tar");
        scratch.refuses(&sign, (1, code), &[&path]);
    }
    let sign = "ima sign pool --store sidecar --key pkcs11:token=a";
    scratch.refuses(&sign, (2, "token"), &["pkcs11:token=a"]);
}

#[test]
fn estimates_are_not_taken_for_exact() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("tree")).unwrap();
    scratch.write("tree/a", "a");
    let plan = |file_system: &str| {
        let plan = format!("ima plan tree -a ml-dsa-65 --format json --file-system {file_system}");
        rows(&scratch.fine(&plan)).remove(0)
    };
    let (exact, estimate) = (plan("ext4"), plan("btrfs"));
    assert_eq!((exact["total"].as_f64(), exact["total, estimated"].as_f64()), (Some(4096.0), None));
    assert_eq!((estimate["total"].as_f64(), estimate["per file"].as_f64()), (None, None));
    let interval = &estimate["total, estimated interval"];
    let (least, most) = (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap());
    let middle = estimate["total, estimated"].as_f64().unwrap();
    assert!(least <= middle && middle < most, "{estimate}");
    // A file that has a name elsewhere is told.
    assert_eq!(exact["with names elsewhere"], 0);
    fs::hard_link(scratch.path("tree/a"), scratch.path("b")).unwrap();
    assert_eq!(plan("ext4")["with names elsewhere"], 1);
}
