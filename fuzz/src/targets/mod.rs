//! The targets: a parser each, with seeds that reach its inner parts.
//!
//! A target reads its input as the program would, and goes on with what it read as far as the library does: what is
//! accepted must not hurt later. Where the library promises that something comes back the same, the target asks.

mod c;
mod cyclonedx;
mod disk;
mod dns_load;
mod dnssec;
mod engine;
mod git;
mod git_repository;
mod ima;
mod kcmvp;
mod records;
mod tcp_ao;

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]),
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

pub(crate) fn all() -> impl Iterator<Item = &'static Target> {
    [
        dns_load::TARGETS,
        dnssec::TARGETS,
        ima::TARGETS,
        tcp_ao::TARGETS,
        git::TARGETS,
        git_repository::TARGETS,
        disk::TARGETS,
        records::TARGETS,
        cyclonedx::TARGETS,
        kcmvp::TARGETS,
        engine::TARGETS,
        c::TARGETS,
    ]
    .into_iter()
    .flatten()
}

/// The input as two parts: what stands before the first `border`, and what stands behind it.
fn halves<'a>(input: &'a [u8], border: &[u8]) -> (&'a [u8], &'a [u8]) {
    match input.windows(border.len()).position(|window| window == border) {
        Some(at) => (&input[..at], &input[at + border.len()..]),
        None => (input, &[]),
    }
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
