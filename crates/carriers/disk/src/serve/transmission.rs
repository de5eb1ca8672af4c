//! The transmission: one request after the other, each answered before the next is read.

use std::io;

use super::connection::Connection;
use super::protocol::{self, Device, MOST_PAYLOAD, Replies, Request, chunk, command, command_flag, errno};
use crate::error::Error;
use crate::secret::wipe_stack;
use crate::volume::Volume;

/// Bytes of a request that are worked on at once. Long requests come and go piece by piece, so that nobody can make the
/// server hold more than this, by asking for much or by never sending it.
const PIECE: usize = 256 << 10;

/// Zeros that are written before it is looked at whether the server shall end.
const ZEROS: u64 = 32 << 20;

pub(super) fn serve(
    connection: &mut Connection<'_>,
    volume: &Volume,
    device: &Device,
    replies: Replies,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let mut used = true;
        let idle = || {
            if std::mem::take(&mut used) {
                // Neither plaintext nor what a cipher left on the stack waits for the next request.
                buffer = Vec::new();
                wipe_stack();
            }
        };
        let Some(bytes) = connection.array_or_end::<{ Request::LENGTH }>(idle)? else { return Ok(()) };
        let request = Request::parse(&bytes)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the client sent no request"))?;
        connection.request(true);
        match request.command {
            command::DISC => return Ok(()),
            command::WRITE if request.length > MOST_PAYLOAD => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the client sent more than was offered",
                ));
            }
            command::WRITE => {
                let done = write(connection, &request, volume, device, &mut buffer)?;
                finish(connection, &request, done.and_then(|()| durable(&request, volume)))?;
            }
            command::READ => match (permitted(connection, &request, device), replies) {
                (Ok(()), Replies::Simple) => read(connection, &request, volume, &mut buffer)?,
                (Ok(()), Replies::Structured) => read_in_chunks(connection, &request, volume, &mut buffer)?,
                (Err(error), Replies::Simple) => finish(connection, &request, Err(error))?,
                (Err(error), Replies::Structured) => failed(connection, &request, error)?,
            },
            command::FLUSH => {
                let done = permitted(connection, &request, device)
                    .and_then(|()| volume.flush().map_err(|error| number(&error)));
                finish(connection, &request, done)?;
            }
            command::WRITE_ZEROES => {
                let done = permitted(connection, &request, device)
                    .and_then(|()| write_zeros(connection, &request, volume))
                    .and_then(|()| durable(&request, volume));
                finish(connection, &request, done)?;
            }
            command::TRIM => {
                let done = permitted(connection, &request, device)
                    .and_then(|()| {
                        let length = u64::from(request.length);
                        volume.discard(request.offset, length).map_err(|error| number(&error))
                    })
                    .and_then(|()| durable(&request, volume));
                finish(connection, &request, done)?;
            }
            _ => finish(connection, &request, Err(errno::EINVAL))?,
        }
        connection.request(false);
    }
}

/// Takes the data piece by piece and writes it. All of it is taken in any case, since the next request comes behind it.
fn write(
    connection: &mut Connection<'_>,
    request: &Request,
    volume: &Volume,
    device: &Device,
    buffer: &mut Vec<u8>,
) -> io::Result<Result<(), u32>> {
    let mut done = permitted(connection, request, device);
    for (offset, length) in pieces(request) {
        let data = room(buffer, length);
        connection.receive(data)?;
        done = done.and_then(|()| volume.write_in_place(data, offset).map_err(|error| number(&error)));
    }
    Ok(done)
}

/// Answers with the data, piece by piece. What fails behind the first piece can only end the connection: that all is well
/// has been said already (proto.md, “Simple reply message”).
fn read(
    connection: &mut Connection<'_>,
    request: &Request,
    volume: &Volume,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    // Room for the reply's header before the data, so that both leave with one call.
    let header = protocol::simple_reply(request.cookie, 0);
    let mut sent = false;
    for (offset, length) in pieces(request) {
        let whole = room(buffer, header.len() + length);
        let (start, data) = whole.split_at_mut(header.len());
        match volume.read_at(data, offset) {
            Ok(()) if sent => connection.send(data)?,
            Ok(()) => {
                start.copy_from_slice(&header);
                connection.send(whole)?;
            }
            Err(error) if sent => return Err(io::Error::other(error)),
            Err(error) => return finish(connection, request, Err(number(&error))),
        }
        sent = true;
    }
    if sent { Ok(()) } else { finish(connection, request, Ok(())) }
}

/// Answers with a chunk for each piece, the last of which is marked; what fails is said in a chunk, wherever it is.
fn read_in_chunks(
    connection: &mut Connection<'_>,
    request: &Request,
    volume: &Volume,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let mut pieces = pieces(request).peekable();
    if pieces.peek().is_none() {
        return connection.send(&protocol::chunk_header(request.cookie, protocol::DONE, chunk::NONE, 0));
    }
    while let Some((offset, length)) = pieces.next() {
        let flags = if pieces.peek().is_none() { protocol::DONE } else { 0 };
        let place = offset.to_be_bytes();
        let bytes = u32::try_from(place.len() + length).unwrap_or(u32::MAX);
        let header = protocol::chunk_header(request.cookie, flags, chunk::OFFSET_DATA, bytes);
        let header = [&header[..], &place].concat();
        let whole = room(buffer, header.len() + length);
        let (start, data) = whole.split_at_mut(header.len());
        start.copy_from_slice(&header);
        match volume.read_at(data, offset) {
            Ok(()) => connection.send(whole)?,
            Err(error) => return failed(connection, request, number(&error)),
        }
    }
    Ok(())
}

/// Ends a structured reply with an error, which has no text.
fn failed(connection: &mut Connection<'_>, request: &Request, error: u32) -> io::Result<()> {
    let content = [&error.to_be_bytes()[..], &[0; 2]].concat();
    let header = protocol::chunk_header(request.cookie, protocol::DONE, chunk::ERROR, content.len() as u32);
    connection.send(&[header, content].concat())
}

fn write_zeros(connection: &Connection<'_>, request: &Request, volume: &Volume) -> Result<(), u32> {
    let end = request.offset + u64::from(request.length);
    let mut offset = request.offset;
    while offset < end {
        if connection.is_ending() {
            return Err(errno::ESHUTDOWN);
        }
        let length = ZEROS.min(end - offset);
        volume.write_zeros(offset, length).map_err(|error| number(&error))?;
        offset += length;
    }
    Ok(())
}

/// The pieces of a request's range: all but the first begin at multiples of their size, so that no sector is cut.
fn pieces(request: &Request) -> impl Iterator<Item = (u64, usize)> {
    let (mut offset, mut left) = (request.offset, request.length as usize);
    std::iter::from_fn(move || {
        let to_boundary = PIECE - usize::try_from(offset % PIECE as u64).unwrap_or(0);
        let length = left.min(to_boundary);
        let piece = (offset, length);
        // A range that is not permitted may lie anywhere.
        offset = offset.wrapping_add(length as u64);
        left -= length;
        (length > 0).then_some(piece)
    })
}

/// So many bytes of a buffer, which grows to them.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    buffer.get_mut(..length).unwrap_or_default()
}

fn permitted(connection: &Connection<'_>, request: &Request, device: &Device) -> Result<(), u32> {
    let known = match request.command {
        command::WRITE_ZEROES => command_flag::FUA | command_flag::NO_HOLE,
        // It is valid with every command, and means nothing for those that change nothing.
        _ => command_flag::FUA,
    };
    let writes = matches!(request.command, command::WRITE | command::WRITE_ZEROES | command::TRIM);
    let end = request.offset.checked_add(u64::from(request.length));
    let within = request.command == command::FLUSH || end.is_some_and(|end| end <= device.size);
    match () {
        () if connection.is_ending() => Err(errno::ESHUTDOWN),
        () if request.flags & !known != 0 => Err(errno::EINVAL),
        () if request.command == command::READ && request.length > MOST_PAYLOAD => Err(errno::EINVAL),
        () if writes && device.is_read_only() => Err(errno::EPERM),
        () if request.command == command::TRIM && !device.takes_trims() => Err(errno::EINVAL),
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
