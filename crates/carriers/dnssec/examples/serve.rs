//! Signs a zone with Ed25519, serves it by zone transfer (RFC 5936) as a hidden primary would, fetches it through a socket
//! and validates what arrived.
//!
//! ```sh
//! cargo run --example serve --features domain -- [ZONE-FILE] [--stay]
//! ```
//!
//! With `--stay` it goes on serving: `dig @127.0.0.1 -p PORT example. AXFR`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[allow(dead_code, missing_docs, unreachable_pub)]
#[path = "../tests/common/classic.rs"]
mod classic;

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use domain::base::iana::Rcode;
use domain::base::message_builder::StreamTarget;
use domain::base::{self, Message, MessageBuilder};
use domain::rdata::AllRecordData;
use fieldtest_dnssec::codepoints::CodePoint;
use fieldtest_dnssec::keys::{KeyUse, ZoneKey};
use fieldtest_dnssec::sign::{Form, Plan, Signer};
use fieldtest_dnssec::verify::{Options, verify};
use fieldtest_dnssec::{Rtype, Zone, ZoneBuilder};
use fieldtest_kinds::signature::Signature;

const ZONE: &str = "example. 3600 IN SOA ns.example. hostmaster.example. 1 1800 900 604800 3600\n\
                    example. 3600 IN NS ns.example.\nns.example. 3600 IN A 192.0.2.53\n";
/// IANA's number of Ed25519.
const ED25519: CodePoint = CodePoint::Number(15);
/// Bytes of records in a message, at least: more are appended until there are as many.
const FULL: usize = 16_384;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word == "--stay");
    let zone = match files.first() {
        Some(file) => fieldtest_dnssec::load(&PathBuf::from(file), None)?,
        None => fieldtest_dnssec::read(ZONE.as_bytes(), Path::new("built in"), None)?,
    };
    let now = u32::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())?;
    let signed = sign(&zone, now)?;

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let apex = base::Name::from(zone.apex());
    let server = thread::spawn(move || {
        for stream in listener.incoming() {
            if let Err(error) = stream.map_err(Into::into).and_then(|stream| serve(stream, &signed)) {
                eprintln!("a connection failed: {error}");
            }
        }
    });
    let fetched = fetch(TcpStream::connect(address)?, &apex)?;
    let resolve = |asked: &CodePoint| (*asked == ED25519).then_some(&classic::ED25519 as &dyn Signature);
    let report = verify(&fetched, &Options { resolve: &resolve, now: Some(now), anchors: &[] });
    for finding in &report.findings {
        println!("{finding}");
    }
    let verdict = if report.is_secure() { "secure" } else { "not secure" };
    println!("{apex}: {} records from {address}: {verdict}", fetched.record_count());
    if !options.is_empty() {
        server.join().map_err(|_| "the server failed")?;
    }
    if report.is_secure() { Ok(()) } else { Err("the zone is not secure".into()) }
}

/// One key signs everything, from an hour ago for 30 days.
fn sign(zone: &Zone, now: u32) -> Result<Zone, Box<dyn Error>> {
    let key = ZoneKey::generate(*zone.apex(), KeyUse::KeySigning, ED25519, &classic::ED25519)?;
    let plan = Plan::new(vec![key], [now - 3600, now + 30 * 86_400]);
    let mut signed = Vec::new();
    Signer::new(zone, &plan)?.write(Form::Raw, &mut signed)?;
    Ok(fieldtest_dnssec::read(&*signed, Path::new("signed"), None)?)
}

/// Answers the queries of a connection with the whole zone, whatever they ask for.
fn serve(mut stream: TcpStream, zone: &Zone) -> Result<(), Box<dyn Error>> {
    while let Some(query) = next_message(&mut stream)? {
        // The SOA record is first and last.
        let soa = || zone.domain_records().filter(|record| record.rtype() == base::Rtype::SOA);
        let others = zone.domain_records().filter(|record| record.rtype() != base::Rtype::SOA);
        let mut records = soa().chain(others).chain(soa()).peekable();
        while records.peek().is_some() {
            let builder = MessageBuilder::from_target(StreamTarget::new_vec())?;
            let mut answer = builder.start_answer(&query, Rcode::NOERROR)?;
            answer.header_mut().set_aa(true);
            while answer.as_slice().len() < FULL
                && let Some(record) = records.next()
            {
                answer.push(record)?;
            }
            stream.write_all(answer.finish().as_stream_slice())?;
        }
    }
    Ok(())
}

/// The next message of a connection; `None` at its end.
fn next_message(stream: &mut TcpStream) -> Result<Option<Message<Vec<u8>>>, Box<dyn Error>> {
    let mut length = [0; 2];
    if stream.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut length[1..])?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message)?;
    Ok(Some(Message::from_octets(message)?))
}

/// A zone by AXFR: all records up to the second SOA.
fn fetch(mut stream: TcpStream, apex: &base::Name<Vec<u8>>) -> Result<Zone, Box<dyn Error>> {
    let mut query = MessageBuilder::from_target(StreamTarget::new_vec())?.question();
    query.push((apex, base::Rtype::AXFR))?;
    stream.write_all(query.finish().as_stream_slice())?;
    let mut builder = ZoneBuilder::new();
    let mut ends = 0;
    while ends < 2 {
        let message = next_message(&mut stream)?.ok_or("the connection ended within the zone")?;
        for record in message.answer()? {
            let record = record?.into_any_record::<AllRecordData<_, _>>()?;
            ends += usize::from(record.rtype() == base::Rtype::from_int(Rtype::SOA.0));
            if ends < 2 {
                builder.push_domain(&record)?;
            }
        }
    }
    Ok(builder.finish()?)
}
