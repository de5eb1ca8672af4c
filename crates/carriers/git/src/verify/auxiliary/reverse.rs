//! Reverse indexes and times: tables with a number for each object of a pack (gitformat-pack(5), “pack-*.rev”,
//! “pack-*.mtimes”).

use super::chunks::word;
use super::judge::Judge;

/// Bytes before the numbers.
const HEADER: usize = 12;

/// The numbers of a file that ends with the checksum of its pack (or of its multi-pack index) and its own; the file's
/// form is judged.
fn numbers<'b>(
    bytes: &'b [u8],
    signature: &[u8; 4],
    count: usize,
    owner: &[u8],
    judge: &mut Judge<'_>,
) -> Option<&'b [u8]> {
    let id_len = owner.len();
    judge.seal(bytes, id_len);
    if !bytes.starts_with(signature) {
        judge.wrong(0, format!("it does not begin with {}", String::from_utf8_lossy(signature)));
        return None;
    }
    if word(bytes, 1) != Some(1) {
        judge.wrong(4, "its version is not 1");
        return None;
    }
    if word(bytes, 2) != Some(if id_len == 32 { 2 } else { 1 }) {
        judge.wrong(8, "it is of another hash function");
        return None;
    }
    let wanted = HEADER + 4 * count + 2 * id_len;
    if bytes.len() != wanted {
        judge.wrong(
            bytes.len(),
            format!("it is {} bytes long and {wanted} for its {count} objects", bytes.len()),
        );
        return None;
    }
    let end = HEADER + 4 * count;
    if bytes.get(end..end + id_len) != Some(owner) {
        judge.wrong(end, "it belongs to another file");
    }
    bytes.get(HEADER..end)
}

/// A reverse index: the objects' places in the index, in the order of the pack, which is `order`.
pub(super) fn reverse(bytes: &[u8], order: &[u32], owner: &[u8], judge: &mut Judge<'_>) {
    let Some(table) = numbers(bytes, b"RIDX", order.len(), owner, judge) else { return };
    for (at, wanted) in order.iter().enumerate() {
        if word(table, at) != Some(*wanted) {
            judge.wrong(HEADER + 4 * at, format!("the object at place {at} of the pack is another"));
        }
    }
}

/// The times of unreachable objects, of which nothing else tells.
pub(super) fn times(bytes: &[u8], count: usize, owner: &[u8], judge: &mut Judge<'_>) {
    numbers(bytes, b"MTME", count, owner, judge);
}
