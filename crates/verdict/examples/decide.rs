//! Decides natively as a page does: the matrix on the first line of standard input, then a request a line; an answer a line, which
//! is empty where there is none. `lab/wasm.mjs` compares it with WebAssembly.

use std::io::{self, BufRead, Write};

use fieldtest_verdict::Matrix;

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let matrix = lines.next().transpose()?.as_deref().and_then(Matrix::read);
    let matrix = matrix.ok_or_else(|| io::Error::other("the first line is not a matrix"))?;
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", matrix.answer(&line?).unwrap_or_default())?;
    }
    Ok(())
}
