//! Queries over TLS, to a server that answers each with itself.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fieldtest_dns_load::Outcome;
use fieldtest_dns_load::engine::Options;
use fieldtest_dns_load::query::Transport;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::counting::{self, EACH, Failure};

/// A key for this test and nothing else: `openssl ecparam -name prime256v1 -genkey | openssl pkcs8 -topk8 -nocrypt`.
const KEY: &[u8] = b"\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1u15n4gDx8kk4j/J
6iTtMzk9o0ig44Ge+PR1UE45ytqhRANCAASNMFNkJxLcNWvC3Yq9O1rsE9VeS8J9
spJ2PiVO+9hY4IhG3ZD+KQp3Kbkb6lViVOO3e6CRbSALVzZKdjyEnWn/
-----END PRIVATE KEY-----";
/// `openssl req -x509 -subj /CN=localhost -days 36500` of it.
const CERTIFICATE: &[u8] = b"\
-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUCZCdDWt6279iHpionCMfIn2JpFUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjExNTEzOVoYDzIxMjYxMTAy
MTE1MTM5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASNMFNkJxLcNWvC3Yq9O1rsE9VeS8J9spJ2PiVO+9hY4IhG3ZD+KQp3
Kbkb6lViVOO3e6CRbSALVzZKdjyEnWn/o1MwUTAdBgNVHQ4EFgQUl4+ete9W2Pwa
V3uzq/M5H0HmnjQwHwYDVR0jBBgwFoAUl4+ete9W2PwaV3uzq/M5H0HmnjQwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAhYHrvNVG5v7zK8L0P7lr
LfElyzoW9KVdDb8D2r7bTqYCIQDLXF4xi/i+guS39xjD8KRXsWAvAzGad0VBNJef
xpanZQ==
-----END CERTIFICATE-----";

/// A server on a free port; it ends with the test's process.
fn serve() -> Result<SocketAddr, Failure> {
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE)?],
            PrivateKeyDer::from_pem_slice(KEY)?,
        )?;
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            thread::spawn(move || serve_connection(stream, config));
        }
    });
    Ok(address)
}

fn serve_connection(stream: TcpStream, config: Arc<ServerConfig>) -> Result<(), std::io::Error> {
    let session = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(session, stream);
    for served in 0.. {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut query)?;
        // Ends the session in order after three answers.
        if query.windows(5).any(|label| label == b"three") && served == 3 {
            stream.conn.send_close_notify();
            return stream.flush();
        }
        if query.windows(5).any(|label| label == b"flood") {
            let short = [&[0, 12][..], &[0; 12]].concat().repeat(1_000);
            loop {
                stream.write_all(&short)?;
            }
        }
        query[2] |= 0x80;
        stream.write_all(&[&length[..], &query].concat())?;
    }
    Ok(())
}

fn load(address: SocketAddr, name: &str, change: impl Fn(&mut Options)) -> Result<Outcome, Failure> {
    counting::load(address, name, Transport::Tls, |options| {
        // Handshakes take their time.
        options.timeout = Duration::from_secs(2);
        change(options);
    })
}

#[test]
fn connections_are_kept_or_fresh_and_sessions_resumed() -> Result<(), Failure> {
    let address = serve()?;
    let kept = load(address, "fine", |_| {})?;
    assert_eq!((kept.answered, kept.tls.len(), kept.connections, kept.resumed), (EACH, EACH, 4, 0));
    assert_eq!((kept.up[0], kept.up[1], kept.tcp.len()), (0, 0, 0));
    assert!(kept.connect.len() == 4 && kept.up[2] > 4 * 200, "handshakes are counted");
    let fresh = load(address, "fine", |options| options.keep_connections = false)?;
    assert_eq!((fresh.tls.len(), fresh.connections, fresh.resumed), (EACH, EACH, 0));
    let resumed = load(address, "fine", |options| {
        options.keep_connections = false;
        options.resume_sessions = true;
    })?;
    assert_eq!((resumed.tls.len(), resumed.connections), (EACH, EACH));
    // A first session is not over yet when the second begins, where the machine is slow.
    assert!((EACH / 2..EACH).contains(&resumed.resumed), "{}", resumed.resumed);
    Ok(())
}

#[test]
fn a_session_may_end_at_any_time() -> Result<(), Failure> {
    let short = load(serve()?, "three", |_| {})?;
    assert_eq!((short.answered, short.connection_failed), (EACH, 0));
    // Where the machine is slow, two queries of a client meet the end of one session.
    assert!(short.resent > 0 && (5..=4 + short.resent).contains(&short.connections), "{}", short.connections);
    Ok(())
}

#[test]
fn a_server_that_sends_without_end() -> Result<(), Failure> {
    let flood = load(serve()?, "flood", |options| options.timeout = Duration::from_millis(800))?;
    assert!(flood.timed_out == EACH && flood.unexpected > EACH, "{flood:?}");
    Ok(())
}

#[test]
fn what_speaks_no_tls_is_said() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"no TLS at all, but bytes enough for the header of a record");
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    let plain = load(address, "fine", |_| {})?;
    assert_eq!((plain.connection_failed, plain.connections), (EACH, 0));
    assert!(plain.connection_errors.keys().all(|words| words.starts_with("TLS: ")));
    Ok(())
}
