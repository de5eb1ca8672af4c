//! The handshake: options until an export is chosen.

use std::io;

use super::connection::Connection;
use super::protocol::{self, Device, InfoRequest, Replies, handshake_flag, info, option, reply};

/// Data of an option that is read; more is passed over.
const MOST_DATA: u32 = 8192;

/// Data of an option that is passed over. The longest that the protocol has, a name of 4,096 bytes with all kinds of
/// information, is 135,172 bytes.
const MOST_PASSED_OVER: u32 = 1 << 20;

/// Options in one handshake; nobody who means well needs more.
const MOST_OPTIONS: usize = 256;

/// What a request for TLS is answered.
const NO_TLS: &[u8] =
    b"TLS is not supported: connect to the Unix socket or loopback address directly, or through a tunnel such as SSH";

/// Negotiates. How the transmission goes that begins, or nothing if the client only asked.
pub(super) fn negotiate(connection: &mut Connection<'_>, device: &Device) -> io::Result<Option<Replies>> {
    let flags = handshake_flag::FIXED_NEWSTYLE | handshake_flag::NO_ZEROES;
    let greeting =
        [&protocol::NBD_MAGIC.to_be_bytes()[..], &protocol::OPTION_MAGIC.to_be_bytes(), &flags.to_be_bytes()];
    connection.send(&greeting.concat())?;
    let client = u32::from_be_bytes(connection.array()?);
    if client & !u32::from(flags) != 0 {
        return Err(violation("flags that were not offered"));
    }
    let no_zeroes = client & u32::from(handshake_flag::NO_ZEROES) != 0;
    let mut replies = Replies::Simple;
    for _ in 0..MOST_OPTIONS {
        if u64::from_be_bytes(connection.array()?) != protocol::OPTION_MAGIC {
            return Err(violation("no option where one was expected"));
        }
        let number = u32::from_be_bytes(connection.array()?);
        let length = u32::from_be_bytes(connection.array()?);
        if length > MOST_PASSED_OVER {
            // Nobody waits for what may never come. Who meant it is told why the connection ends, where the option has a reply.
            if number != option::EXPORT_NAME {
                answer(connection, number, reply::ERR_TOO_BIG, b"")?;
            }
            return Err(violation("an option that is too long"));
        }
        let mut data = vec![0; length.min(MOST_DATA) as usize];
        connection.receive(&mut data)?;
        if length > MOST_DATA {
            connection.pass_over(u64::from(length - MOST_DATA))?;
            // This option has no way to say no.
            if number == option::EXPORT_NAME {
                return Err(violation("a name that is too long"));
            }
            answer(connection, number, reply::ERR_TOO_BIG, b"")?;
            continue;
        }
        match number {
            option::EXPORT_NAME => {
                if !device.is_named(&data) {
                    return Err(violation("a name that is not exported"));
                }
                let zeroes = if no_zeroes { 0 } else { 124 };
                let export = [&export(device)[..], &vec![0; zeroes]].concat();
                connection.send(&export)?;
                return Ok(Some(replies));
            }
            option::ABORT => {
                answer(connection, number, reply::ACK, b"")?;
                return Ok(None);
            }
            option::LIST if data.is_empty() => {
                let name = device.name.as_bytes();
                let length = u32::try_from(name.len()).unwrap_or(0).to_be_bytes();
                answer(connection, number, reply::SERVER, &[&length[..], name].concat())?;
                answer(connection, number, reply::ACK, b"")?;
            }
            option::LIST => answer(connection, number, reply::ERR_INVALID, b"")?,
            option::INFO | option::GO => match InfoRequest::parse(&data) {
                None => answer(connection, number, reply::ERR_INVALID, b"")?,
                Some(request) if !device.is_named(request.name) => {
                    answer(connection, number, reply::ERR_UNKNOWN, b"")?;
                }
                Some(request) => {
                    inform(connection, number, device, &request)?;
                    if number == option::GO {
                        return Ok(Some(replies));
                    }
                }
            },
            option::STRUCTURED_REPLY if data.is_empty() => {
                replies = Replies::Structured;
                answer(connection, number, reply::ACK, b"")?;
            }
            option::STRUCTURED_REPLY => answer(connection, number, reply::ERR_INVALID, b"")?,
            option::STARTTLS => answer(connection, number, reply::ERR_UNSUP, NO_TLS)?,
            // Among them metadata.
            _ => answer(connection, number, reply::ERR_UNSUP, b"")?,
        }
    }
    Err(violation("options without end"))
}

fn inform(
    connection: &mut Connection<'_>,
    number: u32,
    device: &Device,
    request: &InfoRequest<'_>,
) -> io::Result<()> {
    let about = |kind: u16, data: &[u8]| [&kind.to_be_bytes()[..], data].concat();
    answer(connection, number, reply::INFO, &about(info::EXPORT, &export(device)))?;
    if request.wanted.contains(&info::NAME) {
        answer(connection, number, reply::INFO, &about(info::NAME, device.name.as_bytes()))?;
    }
    if request.wanted.contains(&info::BLOCK_SIZE) {
        let sizes = [1, device.preferred_block, protocol::MOST_PAYLOAD].map(u32::to_be_bytes).concat();
        answer(connection, number, reply::INFO, &about(info::BLOCK_SIZE, &sizes))?;
    }
    answer(connection, number, reply::ACK, b"")
}

/// Size and flags, as `NBD_OPT_EXPORT_NAME` and `NBD_INFO_EXPORT` both have them.
fn export(device: &Device) -> Vec<u8> {
    [&device.size.to_be_bytes()[..], &device.flags.to_be_bytes()].concat()
}

fn answer(connection: &mut Connection<'_>, number: u32, kind: u32, data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).map_err(|_| violation("an answer that is too long"))?;
    let head = [
        &protocol::OPTION_REPLY_MAGIC.to_be_bytes()[..],
        &number.to_be_bytes(),
        &kind.to_be_bytes(),
        &length.to_be_bytes(),
        data,
    ];
    connection.send(&head.concat())
}

fn violation(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the client sent {what}"))
}
