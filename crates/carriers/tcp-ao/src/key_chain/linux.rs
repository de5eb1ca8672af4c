//! Linux: `struct tcp_ao_add` for `setsockopt(TCP_AO_ADD_KEY)` (include/uapi/linux/tcp.h, since 6.7).
//!
//! Keys belong to sockets, so it is programs that set them; the text is C for such a program.

use std::fmt::Write;

use super::chain::{Algorithm, Chain, Key};
use super::{Refusal, Warning, comment, list, unknown};

/// TCP_AO_MAXKEYLEN.
const LONGEST_KEY: usize = 80;

/// The longest MAC that Linux takes (6.19 to 7.3): a SYN with timestamps, window scale and MSS has no room
/// for more, and Linux answers EMSGSIZE.
const LONGEST_MAC: usize = 16;

/// What is left of the algorithms since Linux 7.2; Debian's 7.1 has no others either. Before, any hash of the kernel's
/// crypto API was taken.
const KEPT: [&str; 3] = ["hmac(sha1)", "hmac(sha256)", "cmac(aes128)"];

/// Linux's name for the chain's algorithm, and warnings.
///
/// # Errors
/// Linux does not have the algorithm, or not with such keys or MACs.
pub(super) fn name<'a>(
    chain: &Chain<'a>,
    known: &[Algorithm<'_>],
) -> Result<(&'a str, Vec<Warning>), Refusal> {
    let kept = |it: &Algorithm<'_>| it.linux.is_some_and(|name| KEPT.contains(&name));
    let Some(name) = chain.algorithm.linux else {
        return Err(unknown("Linux", chain, known, kept));
    };
    if chain.keys.iter().any(|key| key.secret.len() > LONGEST_KEY) {
        return Err(Refusal::KeyLength { most: LONGEST_KEY });
    }
    if chain.mac_length > LONGEST_MAC {
        return Err(Refusal::LongMac { most: LONGEST_MAC });
    }
    let mut warnings = Vec::new();
    if !KEPT.contains(&name) {
        warnings.push(Warning::Gone { name: name.to_owned(), kept: list(known, kept) });
    }
    Ok((name, warnings))
}

pub(super) fn write(
    chain: &Chain<'_>,
    known: &[Algorithm<'_>],
    out: &mut String,
) -> Result<Vec<Warning>, Refusal> {
    let (name, warnings) = name(chain, known)?;
    out.push_str("/*\n");
    comment(out, " * ", chain.heading());
    comment(out, " * ", NOTES.lines().map(str::to_owned));
    out.push_str(" */\n");
    out.push_str(INCLUDES);
    out.push_str("static const struct tcp_ao_add tcp_ao_keys[] = {\n");
    for (number, key) in chain.keys.iter().enumerate() {
        initialiser(chain, name, key, number == 0, out);
    }
    out.push_str("};\n\n");
    function(chain, out);
    Ok(warnings)
}

const NOTES: &str = "\
Linux has no key lifetimes: it accepts every key of a socket. When a key is due, let each end ask
the other to use it with TCP_AO_INFO: set_rnext = 1, rnext = the key's rcvid.
Keys belong to sockets; no command of iproute2 sets them. linux/tcp.h has them since Linux 6.7
and cannot be included together with netinet/tcp.h.";

const INCLUDES: &str = "#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

";

fn initialiser(chain: &Chain<'_>, name: &str, key: &Key, first: bool, out: &mut String) {
    let prefix = chain.peer.map_or(0, |peer| if peer.is_ipv4() { 32 } else { 128 });
    // Writing to a String does not fail.
    let _ = write!(out, "\t/* {} */\n\t{{\n\t\t.alg_name = \"{name}\",\n", key.times());
    if first {
        out.push_str("\t\t.set_current = 1,\n\t\t.set_rnext = 1,\n");
    }
    let _ = write!(
        out,
        "\t\t.prefix = {prefix},\n\t\t.sndid = {0},\n\t\t.rcvid = {0},\n\t\t.maclen = {1},\n",
        key.id, chain.mac_length
    );
    if chain.exclude_options {
        out.push_str("\t\t.keyflags = TCP_AO_KEYF_EXCLUDE_OPT,\n");
    }
    let _ = writeln!(out, "\t\t.keylen = {},\n\t\t.key = {{", key.secret.len());
    for row in key.secret.chunks(12) {
        out.push_str("\t\t\t");
        for byte in row {
            let _ = write!(out, "0x{byte:02x}, ");
        }
        out.pop();
        out.push('\n');
    }
    out.push_str("\t\t},\n\t},\n");
}

fn function(chain: &Chain<'_>, out: &mut String) {
    let v4 = chain.peer.is_none_or(|peer| peer.is_ipv4());
    let (family, address) = if v4 { ("AF_INET", "sin") } else { ("AF_INET6", "sin6") };
    let structure = if v4 { "sockaddr_in" } else { "sockaddr_in6" };
    let whom = chain.peer.map_or("0.0.0.0".to_owned(), |peer| peer.to_string());
    if chain.peer.is_none() {
        out.push_str("/* For every IPv4 address; a socket of AF_INET6 needs sockaddr_in6 and \"::\". */\n");
    }
    out.push_str(
        "/* Call it before connect() or listen(). On a socket that listens already, clear set_current and set_rnext. */\n",
    );
    // Writing to a String does not fail.
    let _ = write!(
        out,
        "static int tcp_ao_add_keys(int socket)
{{
	for (size_t i = 0; i < sizeof(tcp_ao_keys) / sizeof(tcp_ao_keys[0]); i++) {{
		struct tcp_ao_add key = tcp_ao_keys[i];
		struct {structure} *peer = (struct {structure} *)&key.addr;

		peer->{address}_family = {family};
		if (inet_pton({family}, \"{whom}\", &peer->{address}_addr) != 1)
			return -1;
		if (setsockopt(socket, IPPROTO_TCP, TCP_AO_ADD_KEY, &key, sizeof(key)))
			return -1;
	}}
	return 0;
}}
"
    );
}
