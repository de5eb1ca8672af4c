//! DNS over TLS (RFC 7858): a session over a connection, whose handshake and records are made and read here, and whose octets
//! [`super::connection`] carries.
//!
//! A server's certificate is not verified against any authority, which is what RFC 7858, section 4.1, calls opportunistic privacy, and what
//! is usual where a resolver is known by its address. That it holds the certificate's key is verified, as every client does.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, HandshakeKind, SignatureScheme};

/// The protocol's name in the handshake (RFC 7858 has none; IANA's list of ALPN IDs has this one).
const ALPN: &[u8] = b"dot";
/// Sessions of the server that are remembered, where any are.
const SESSIONS: usize = 1_024;

/// How sessions of a thread are begun.
#[derive(Debug)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
    server: ServerName<'static>,
    /// The first one, where it is made already.
    first: Option<Session>,
}

impl Tls {
    /// With a server at this address; sessions are resumed or each begun anew.
    pub(super) fn new(server: IpAddr, resume: bool) -> io::Result<Tls> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let trusting = Arc::new(Trusting(Arc::clone(&provider)));
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(invalid)?;
        let mut config = config.dangerous().with_custom_certificate_verifier(trusting).with_no_client_auth();
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.resumption =
            if resume { Resumption::in_memory_sessions(SESSIONS) } else { Resumption::disabled() };
        Ok(Tls { config: Arc::new(config), server: server.into(), first: None })
    }

    /// Makes the first session of this thread before it is asked for: what the library prepares in each thread, above all the seed of its
    /// random numbers, takes a tenth of a second, which would stand in the latencies of all who wait meanwhile.
    pub(super) fn prepare(&mut self) -> io::Result<()> {
        self.first = Some(self.begin()?);
        Ok(())
    }

    pub(super) fn session(&mut self) -> io::Result<Session> {
        self.first.take().map_or_else(|| self.begin(), Ok)
    }

    fn begin(&self) -> io::Result<Session> {
        let client = ClientConnection::new(Arc::clone(&self.config), self.server.clone());
        let mut client = client.map_err(invalid)?;
        // What is asked before the handshake is over waits in the session.
        client.set_buffer_limit(None);
        Ok(Session(Box::new(client)))
    }

    #[cfg(test)]
    pub(super) fn is_prepared(&self) -> bool {
        self.first.is_some()
    }
}

#[derive(Debug)]
pub(super) struct Session(Box<ClientConnection>);

impl Session {
    pub(super) fn is_ready(&self) -> bool {
        !self.0.is_handshaking()
    }

    /// Whether it goes on with an earlier one's secret, without certificate and signature.
    pub(super) fn is_resumed(&self) -> bool {
        self.0.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// Takes plain octets, which are sent once the handshake is over.
    pub(super) fn take(&mut self, plain: &[u8]) -> io::Result<()> {
        self.0.writer().write_all(plain)
    }

    /// Writes what is to be sent, as far as the system takes it; says how many octets it took.
    pub(super) fn write(&mut self, stream: &mut TcpStream) -> io::Result<usize> {
        let mut taken = 0;
        while self.0.wants_write() {
            match self.0.write_tls(stream) {
                Ok(some) => taken += some,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// Reads once what is there, and appends what it says to `plain`; 0 octets are the end of the connection, or of the session.
    pub(super) fn read(&mut self, stream: &mut TcpStream, plain: &mut Vec<u8>) -> io::Result<usize> {
        let read = self.0.read_tls(stream)?;
        let state = self.0.process_new_packets().map_err(|error| {
            // The server is told why; that it hears it is not waited for.
            let _ = self.0.write_tls(stream);
            invalid(error)
        })?;
        let waiting = state.plaintext_bytes_to_read() as u64;
        self.0.reader().take(waiting).read_to_end(plain)?;
        Ok(if state.peer_has_closed() { 0 } else { read })
    }

    pub(super) fn end(&mut self, stream: &mut TcpStream) {
        self.0.send_close_notify();
        // Whoever does not hear it sees the connection end.
        let _ = self.write(stream);
    }
}

fn invalid(error: Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}

/// What TLS says of an error, if it is one of its own.
pub(super) fn words(error: &io::Error) -> Option<String> {
    let error: &Error = error.get_ref()?.downcast_ref()?;
    Some(format!("TLS: {error}"))
}

#[derive(Debug)]
struct Trusting(Arc<CryptoProvider>);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
