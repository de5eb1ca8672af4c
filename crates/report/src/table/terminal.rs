//! A table for the terminal: aligned by decimal point, units below the names, continued below itself where too wide.

use super::{Shown, ShownCell, ShownColumn, Table, Tone};

/// Spaces between columns.
const GAP: usize = 2;
/// The least room in which a column of words is worth wrapping.
const LEAST_TEXT: usize = 24;

pub(super) fn render(table: &Table, width: usize, colour: bool) -> String {
    let shown = Shown::of(table);
    let mut out = String::new();
    let title = clean(table.title());
    if !title.is_empty() {
        out.push_str(&paint(&title, "1", colour));
        out.push('\n');
    }
    for (at, block) in blocks(&shown.columns, width).iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        write_block(&mut out, block, &shown, colour);
    }
    let legend = shown.legend();
    for note in table.notes().iter().chain(&legend) {
        for (at, line) in wrap(&clean(note), width.saturating_sub(2).max(LEAST_TEXT)).iter().enumerate() {
            let line = format!("{}{line}", if at == 0 { "* " } else { "  " });
            out.push_str(&paint(&line, "2", colour));
            out.push('\n');
        }
    }
    out
}

struct Slot<'a> {
    column: &'a ShownColumn,
    /// The header's lines, the unit last.
    header: Vec<String>,
    width: usize,
}

/// How many columns at the start name a row: the first, or the first two where the first repeats itself and both
/// leave room for results.
fn key_columns(columns: &[ShownColumn], width: usize) -> usize {
    let [first, second, ..] = columns else { return columns.len() };
    let mut names: Vec<String> = first.cells.iter().map(|cell| plain(cell, first.numeric)).collect();
    names.sort();
    let ambiguous = names.windows(2).any(|pair| pair[0] == pair[1]);
    let both = slot(first, usize::MAX).width + GAP + slot(second, usize::MAX).width;
    if ambiguous && !second.numeric && 2 * both <= width { 2 } else { 1 }
}

/// Fits columns into as few blocks as the width allows; each block starts with the columns that name the row.
fn blocks(columns: &[ShownColumn], width: usize) -> Vec<Vec<Slot<'_>>> {
    let (keys, rest) = columns.split_at(key_columns(columns, width));
    if keys.is_empty() {
        return Vec::new();
    }
    let most = width.saturating_sub(GAP + LEAST_TEXT).max(8) / keys.len();
    let key = || keys.iter().map(|column| slot(column, most)).collect::<Vec<_>>();
    let taken = key().iter().map(|slot| slot.width + GAP).sum::<usize>() - GAP;
    let mut blocks = vec![key()];
    let mut used = taken;
    for column in rest {
        let mut next = slot(column, usize::MAX);
        let left = width.saturating_sub(used + GAP);
        if next.width > left && !next.column.numeric && left >= LEAST_TEXT {
            next = slot(column, left);
        }
        if next.width > left && used > taken {
            blocks.push(key());
            used = taken;
            if !column.numeric {
                next = slot(column, width.saturating_sub(used + GAP).max(LEAST_TEXT));
            }
        }
        used += GAP + next.width;
        if let Some(block) = blocks.last_mut() {
            block.push(next);
        }
    }
    blocks
}

fn slot(column: &ShownColumn, most: usize) -> Slot<'_> {
    let cells = column.cells.iter().map(|cell| length(&plain(cell, column.numeric))).max().unwrap_or(0);
    let cells = cells.min(most);
    let name = clean(&column.name);
    let word = name.split(' ').map(length).max().unwrap_or(0);
    let mut header = wrap(&name, cells.max(word).max(8));
    header.push(clean(&column.unit));
    let heads = header.iter().map(|line| length(line)).max().unwrap_or(0);
    Slot { column, header, width: cells.max(heads) }
}

fn write_block(out: &mut String, block: &[Slot], shown: &Shown, colour: bool) {
    let depth = block.iter().map(|slot| slot.header.len()).max().unwrap_or(0);
    let units = block.iter().any(|slot| !slot.column.unit.is_empty());
    for line in 0..depth {
        let last = line + 1 == depth;
        if last && !units {
            continue;
        }
        let texts = block.iter().map(|slot| {
            let at = (line + slot.header.len()).checked_sub(depth);
            at.and_then(|at| slot.header.get(at)).cloned().unwrap_or_default()
        });
        write_line(out, block, texts, if last { "2" } else { "1" }, |_| None, colour);
    }
    let rule: usize = block.iter().map(|slot| slot.width + GAP).sum::<usize>().saturating_sub(GAP);
    out.push_str(&paint(&"─".repeat(rule), "2", colour));
    out.push('\n');
    for row in 0..shown.keys.len() {
        let cells: Vec<Vec<String>> = block
            .iter()
            .map(|slot| {
                let text = plain(&slot.column.cells[row], slot.column.numeric);
                if slot.column.numeric { vec![text] } else { wrap(&text, slot.width) }
            })
            .collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let texts = cells.iter().map(|lines| lines.get(line).cloned().unwrap_or_default());
            let style = |at: usize| {
                let cell: &ShownCell = &block[at].column.cells[row];
                match cell.mark.as_ref().map(|mark| mark.tone) {
                    Some(Tone::Good) => Some("36"),
                    Some(Tone::Poor) => Some("33"),
                    Some(Tone::Bad) => Some("31"),
                    Some(Tone::Quiet) => Some("2"),
                    Some(Tone::Fair) | None if at == 0 && shown.baseline == Some(row) => Some("1"),
                    Some(Tone::Fair) | None => None,
                }
            };
            write_line(out, block, texts, "", style, colour);
        }
    }
}

/// Writes one line, each text at its column's side, and cuts the spaces at the end.
fn write_line(
    out: &mut String,
    block: &[Slot],
    texts: impl Iterator<Item = String>,
    common: &str,
    style: impl Fn(usize) -> Option<&'static str>,
    colour: bool,
) {
    let mut line = String::new();
    let mut pending = 0;
    for (at, (slot, text)) in block.iter().zip(texts).enumerate() {
        let fill = slot.width.saturating_sub(length(&text));
        let (before, after) = if slot.column.numeric { (fill, 0) } else { (0, fill) };
        if !text.is_empty() {
            line.push_str(&" ".repeat(pending + before));
            line.push_str(&paint(&text, style(at).unwrap_or(common), colour));
            pending = 0;
        } else {
            pending += before;
        }
        pending += after + GAP;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// A cell in one line: result, room for missing decimals, margin, mark.
fn plain(cell: &ShownCell, numeric: bool) -> String {
    let mark = cell.mark.as_ref().map_or("", |mark| &*mark.symbol);
    if !numeric {
        let text = clean(&cell.text);
        return if mark.is_empty() { text } else { format!("{mark} {text}") };
    }
    if cell.text.is_empty() {
        return mark.to_owned();
    }
    let (point, digits) = cell.missing;
    let mut out = format!("{}{}", clean(&cell.text), " ".repeat(usize::from(point) + digits));
    if !cell.margin.is_empty() {
        out.push_str(&format!(" {:>6}", cell.margin));
    }
    if !mark.is_empty() {
        out.push(' ');
        out.push_str(mark);
    }
    out
}

fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour && !code.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A name in a records file cannot steer the terminal.
fn clean(text: &str) -> String {
    fieldtest_text::line(text).into_owned()
}

/// Breaks `text` at spaces into lines of at most `width` characters; a longer word is cut, a path behind a `/` of it.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let line = lines.len() - 1;
        let used = length(&lines[line]);
        if used > 0 && used + 1 + word.len() > width {
            lines.push(String::new());
        } else if used > 0 {
            lines[line].push(' ');
        }
        while word.len() > width {
            let slash = word[..width].iter().rposition(|c| *c == '/').filter(|at| *at > 0);
            let rest = word.split_off(slash.map_or(width, |at| at + 1));
            let at = lines.len() - 1;
            lines[at].extend(word);
            lines.push(String::new());
            word = rest;
        }
        let at = lines.len() - 1;
        lines[at].extend(word);
    }
    lines
}
