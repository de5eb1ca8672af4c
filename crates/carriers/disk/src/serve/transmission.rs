//! The transmission: one request after the other, each answered before the next is read.

use std::io;

use super::connection::Connection;
use super::protocol::{self, Device, MOST_PAYLOAD, Request, command, command_flag, errno};
use crate::error::Error;
use crate::volume::Volume;

/// A buffer that one large request made is not kept for the small ones that follow.
const KEPT_BUFFER: usize = 1 << 20;

/// Serves requests until the client leaves.
pub(super) fn serve(connection: &mut Connection<'_>, volume: &Volume, device: &Device) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let Some(bytes) = connection.array_or_end::<{ Request::LENGTH }>()? else { return Ok(()) };
        let request = Request::parse(&bytes)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the client sent no request"))?;
        let length = request.length as usize;
        if buffer.len() > KEPT_BUFFER {
            buffer = Vec::new();
        }
        // Room for the reply's header before the data, so that both leave with one call.
        let head = protocol::simple_reply(request.cookie, 0).len();
        match request.command {
            command::DISC => return Ok(()),
            command::WRITE if request.length > MOST_PAYLOAD => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the client sent more than was offered",
                ));
            }
            command::WRITE => {
                grow(&mut buffer, length);
                let data = buffer.get_mut(..length).unwrap_or_default();
                connection.receive(data)?;
                let error = permitted(connection, &request, device).and_then(|()| {
                    volume.write_in_place(data, request.offset).map_err(|error| number(&error))?;
                    durable(&request, volume)
                });
                finish(connection, &request, error)?;
            }
            command::READ => {
                if let Err(error) = permitted(connection, &request, device) {
                    finish(connection, &request, Err(error))?;
                    continue;
                }
                grow(&mut buffer, head + length);
                let whole = buffer.get_mut(..head + length).unwrap_or_default();
                let (start, data) = whole.split_at_mut(head);
                match volume.read_at(data, request.offset) {
                    Ok(()) => {
                        start.copy_from_slice(&protocol::simple_reply(request.cookie, 0));
                        connection.send(whole)?;
                    }
                    Err(error) => finish(connection, &request, Err(number(&error)))?,
                }
            }
            command::FLUSH => {
                let done = permitted(connection, &request, device)
                    .and_then(|()| volume.flush().map_err(|error| number(&error)));
                finish(connection, &request, done)?;
            }
            command::WRITE_ZEROES => {
                let done = permitted(connection, &request, device).and_then(|()| {
                    let length = u64::from(request.length);
                    volume.write_zeros(request.offset, length).map_err(|error| number(&error))?;
                    durable(&request, volume)
                });
                finish(connection, &request, done)?;
            }
            _ => finish(connection, &request, Err(errno::EINVAL))?,
        }
    }
}

fn grow(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
}

/// Whether a request may be done at all.
fn permitted(connection: &Connection<'_>, request: &Request, device: &Device) -> Result<(), u32> {
    let known = match request.command {
        command::WRITE_ZEROES => command_flag::FUA | command_flag::NO_HOLE,
        // It is valid with every command, and means nothing for those that change nothing.
        _ => command_flag::FUA,
    };
    let writes = matches!(request.command, command::WRITE | command::WRITE_ZEROES);
    let end = request.offset.checked_add(u64::from(request.length));
    let within = request.command == command::FLUSH || end.is_some_and(|end| end <= device.size);
    match () {
        () if connection.is_ending() => Err(errno::ESHUTDOWN),
        () if request.flags & !known != 0 => Err(errno::EINVAL),
        () if request.command == command::READ && request.length > MOST_PAYLOAD => Err(errno::EINVAL),
        () if writes && device.is_read_only() => Err(errno::EPERM),
        () if !within => Err(if writes { errno::ENOSPC } else { errno::EINVAL }),
        () => Ok(()),
    }
}

fn durable(request: &Request, volume: &Volume) -> Result<(), u32> {
    if request.flags & command_flag::FUA == 0 {
        return Ok(());
    }
    volume.flush().map_err(|error| number(&error))
}

fn finish(connection: &mut Connection<'_>, request: &Request, done: Result<(), u32>) -> io::Result<()> {
    connection.send(&protocol::simple_reply(request.cookie, done.err().unwrap_or(0)))
}

/// The protocol's number for an error.
fn number(error: &Error) -> u32 {
    match error {
        Error::ReadOnly => errno::EPERM,
        Error::OutOfRange { .. } => errno::EINVAL,
        Error::Io { source, .. }
            if matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
            ) =>
        {
            errno::ENOSPC
        }
        _ => errno::EIO,
    }
}
