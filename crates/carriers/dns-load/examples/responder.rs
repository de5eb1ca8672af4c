//! The server that a generator is measured against: it sends every query back as its answer, which costs next to nothing.
//!
//! `responder ADDRESS:PORT` serves until it is ended.

use std::net::UdpSocket;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(address) = std::env::args().nth(1) else {
        return refuse("name an address and a port: responder 127.0.0.1:5300");
    };
    let socket = match UdpSocket::bind(&address) {
        Ok(socket) => socket,
        Err(error) => return refuse(&format!("cannot listen at {address}: {error}")),
    };
    let mut buffer = [0; 4_096];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut buffer) else { continue };
        // QR: it is an answer.
        buffer[2] |= 0x80;
        // Whoever went away does not get it.
        let _ = socket.send_to(buffer.get(..length).unwrap_or_default(), client);
    }
}

fn refuse(what: &str) -> ExitCode {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{what}");
    ExitCode::from(2)
}
