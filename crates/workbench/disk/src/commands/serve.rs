//! `fieldtest disk serve`: a container's content as a network block device.

use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use anyhow::{Context, Result};
use fieldtest_disk::Access;
use fieldtest_disk::serve::{Address, Export, Server};

use super::opened::Opened;
use super::remedies::explained;
use super::shown::size;
use crate::args::DiskServe;
use crate::interrupt;
use crate::outcome::{Outcome, coded, usage};
use crate::output::{self, Format};

pub(super) fn run(args: &DiskServe, format: Format) -> Result<Outcome> {
    format.only_human("fieldtest disk serve prints the address that it listens on")?;
    let address = address(&args.listen)?;
    Server::check(&address)?;
    interrupt::left("interrupted; nothing was served");
    let access = if args.read_only { Access::Read } else { Access::Write };
    let opened = Opened::open(&args.image, access, &args.unlock, args.implementation.as_deref())?;
    interrupt::in_order(|asked| {
        interrupt::left("");
        let server = Server::listen(&address)?;
        output::data(&format!("{}\n", server.address()))?;
        output::message(&format!(
            "serving {} of {}, {}, with {}; stop with Ctrl-C",
            size(opened.volume.size()),
            args.image.display(),
            if args.read_only { "for reading only" } else { "for reading and writing" },
            opened.content.name()
        ));
        if let Address::Tcp(address) = server.address() {
            output::message(&format!(
                "every user of this machine can connect to {address}{}; a socket (--listen PATH) is open \
                 only to you",
                if args.read_only { " and read it" } else { ", read it and write to it" }
            ));
        }
        let export = Export { read_only: args.read_only, discard: args.discard, ..Export::default() };
        let served = server.run(&opened.volume, &export, asked).map_err(explained)?;
        let durable = if args.read_only { "" } else { "; everything is durable" };
        output::message(&format!("ended after {}{durable}", output::count(served.connections, "connection")));
        Ok(Outcome::Fine)
    })
}

/// The longest path of a socket (unix(7), `sun_path`).
const LONGEST: usize = 107;

/// A loopback address with a port, or else a path, which is made absolute since clients have directories of their own.
fn address(text: &str) -> Result<Address> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Address::Tcp(address));
    }
    // A socket of such a name is ./a:b.
    let is_port = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_port || (text.contains(':') && !text.contains('/')) || text.parse::<IpAddr>().is_ok() {
        return Err(coded(
            "no-place",
            usage(format!(
                "invalid --listen '{text}': expected a loopback address with a port, such as 127.0.0.1:10809 or [::1]:10809, or a path \
             for a socket"
            )),
        ));
    }
    let path = std::path::absolute(Path::new(text)).context("cannot find the working directory")?;
    if path.as_os_str().len() > LONGEST {
        return Err(usage(format!(
            "invalid --listen '{text}': expected a path of at most {LONGEST} bytes from / on, such as /run/disk.sock"
        )));
    }
    // What is written to a file is not written to a socket, nor through a link; the server says what it makes of both.
    let is_servers = |kind: std::fs::FileType| kind.is_socket() || kind.is_symlink();
    if !path.symlink_metadata().is_ok_and(|found| is_servers(found.file_type())) {
        output::check_place(&path)?;
    }
    Ok(Address::Unix(path))
}
