//! A client that says whatever it is told to.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

pub(super) const READ: u16 = 0;
pub(super) const WRITE: u16 = 1;
pub(super) const FLUSH: u16 = 3;
pub(super) const TRIM: u16 = 4;
pub(super) const WRITE_ZEROES: u16 = 6;

pub(super) struct Client(pub(super) UnixStream);

impl Client {
    pub(super) fn greet(socket: &Path, flags: u32) -> Self {
        let mut stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(greeting, *b"NBDMAGICIHAVEOPT\0\x03");
        stream.write_all(&flags.to_be_bytes()).unwrap();
        Client(stream)
    }

    pub(super) fn go(socket: &Path) -> (Self, u64, u16) {
        let mut client = Self::greet(socket, 3);
        client.option(7, &[0; 6]);
        let (kind, data) = client.reply(7);
        assert_eq!((kind, &data[..2]), (3, &[0, 0][..]));
        let size = u64::from_be_bytes(data[2..10].try_into().unwrap());
        let flags = u16::from_be_bytes(data[10..12].try_into().unwrap());
        assert_eq!(client.reply(7), (1, vec![]));
        (client, size, flags)
    }

    pub(super) fn option(&mut self, number: u32, data: &[u8]) {
        let length = u32::try_from(data.len()).unwrap();
        let message = [&b"IHAVEOPT"[..], &number.to_be_bytes(), &length.to_be_bytes(), data].concat();
        self.0.write_all(&message).unwrap();
    }

    pub(super) fn reply(&mut self, number: u32) -> (u32, Vec<u8>) {
        let mut head = [0; 20];
        self.0.read_exact(&mut head).unwrap();
        assert_eq!(head[..8], 0x0003_e889_0455_65a9_u64.to_be_bytes());
        assert_eq!(head[8..12], number.to_be_bytes());
        let mut data = vec![0; u32::from_be_bytes(head[16..].try_into().unwrap()) as usize];
        self.0.read_exact(&mut data).unwrap();
        (u32::from_be_bytes(head[12..16].try_into().unwrap()), data)
    }

    pub(super) fn send(&mut self, command: u16, offset: u64, length: u32) {
        self.send_all(0, command, offset, length, b"");
    }

    fn send_all(&mut self, flags: u16, command: u16, offset: u64, length: u32, payload: &[u8]) {
        let request = [
            &0x2560_9513_u32.to_be_bytes()[..],
            &flags.to_be_bytes(),
            &command.to_be_bytes(),
            b"a cookie",
            &offset.to_be_bytes(),
            &length.to_be_bytes(),
            payload,
        ];
        self.0.write_all(&request.concat()).unwrap();
    }

    /// Flags, type and content of a chunk.
    pub(super) fn chunk(&mut self) -> (u16, u16, Vec<u8>) {
        let mut head = [0; 20];
        self.0.read_exact(&mut head).unwrap();
        assert_eq!((&head[..4], &head[8..16]), (&0x668e_33ef_u32.to_be_bytes()[..], &b"a cookie"[..]));
        let mut content = vec![0; u32::from_be_bytes(head[16..].try_into().unwrap()) as usize];
        self.0.read_exact(&mut content).unwrap();
        let half = |at: usize| u16::from_be_bytes(head[at..at + 2].try_into().unwrap());
        (half(4), half(6), content)
    }

    /// Sends a request and gives the error and the data.
    pub(super) fn request(
        &mut self,
        flags: u16,
        command: u16,
        offset: u64,
        length: u32,
        payload: &[u8],
    ) -> (u32, Vec<u8>) {
        self.send_all(flags, command, offset, length, payload);
        let mut reply = [0; 16];
        self.0.read_exact(&mut reply).unwrap();
        assert_eq!((&reply[..4], &reply[8..]), (&0x6744_6698_u32.to_be_bytes()[..], &b"a cookie"[..]));
        let error = u32::from_be_bytes(reply[4..8].try_into().unwrap());
        let mut data = vec![0; if command == 0 && error == 0 { length as usize } else { 0 }];
        self.0.read_exact(&mut data).unwrap();
        (error, data)
    }

    pub(super) fn is_gone(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0) | Err(_))
    }
}
