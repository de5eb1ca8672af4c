//! What went wrong, as a number, a sentence and particulars.
//!
//! Codes are 0 or negative and keep their meaning. A code that a program does not know is a failure like any other.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fieldtest_kinds::Error;

/// All is well.
pub const FT_OK: c_int = 0;
/// The signature or the tag is wrong, or is none at all.
pub const FT_EWRONG: c_int = -1;
/// A pointer that is needed is NULL.
pub const FT_ENULL: c_int = -2;
/// The handle is of another kind, or none.
pub const FT_EHANDLE: c_int = -3;
/// There is less room than the output needs; how much it needs was written.
pub const FT_EBUFFER: c_int = -4;
/// There is nothing of that name, number or place.
pub const FT_EUNKNOWN: c_int = -5;
/// The algorithm is of a kind that has no such operation, such as a hash function that is to sign.
pub const FT_EKIND: c_int = -6;
/// The algorithm is known by its facts alone: nobody's code for it is here.
pub const FT_ENOCODE: c_int = -7;
/// The bytes are no key of this algorithm.
pub const FT_EKEY: c_int = -8;
/// This implementation lacks the operation.
pub const FT_EUNSUPPORTED: c_int = -9;
/// The message was made to collide with another under this hash function.
pub const FT_ECOLLISION: c_int = -10;
/// A known answer was not reproduced.
pub const FT_EPROOF: c_int = -11;
/// A number or a text is none that the function takes.
pub const FT_EARGUMENT: c_int = -12;
/// The handle is used up: its message was finished.
pub const FT_EFINISHED: c_int = -13;
/// The implementation failed for a reason of its own.
pub const FT_ELIBRARY: c_int = -14;
/// A defect of this library.
pub const FT_EINTERNAL: c_int = -15;
/// It is too late: an algorithm was looked for already.
pub const FT_ELATE: c_int = -16;
/// The description of an engine is of no use, or what it claims is taken.
pub const FT_EENGINE: c_int = -17;

/// The sentence of each code, from `FT_OK` downwards.
const TEXTS: [&CStr; 18] = [
    c"all is well",
    c"the signature or the tag is wrong",
    c"a pointer that is needed is NULL",
    c"the handle is of another kind, or none",
    c"there is less room than the output needs",
    c"there is nothing of that name, number or place",
    c"the algorithm is of a kind that has no such operation",
    c"the algorithm has no implementation in this build, only facts",
    c"the bytes are not a key of this algorithm",
    c"this implementation lacks the operation",
    c"the message was made to collide with another",
    c"a known answer was not reproduced",
    c"a number or a text is none that the function takes",
    c"the handle is used up: its message was finished",
    c"the implementation failed",
    c"a defect of libfieldtest",
    c"it is too late: an algorithm was looked for already",
    c"the description of an engine is of no use, or what it claims is taken",
];

pub(crate) struct Failure {
    code: c_int,
    detail: Detail,
}

/// Particulars. Those that are known beforehand cost nothing: a wrong signature is not an exception.
enum Detail {
    Known(&'static CStr),
    Said(String),
}

impl Failure {
    /// A code whose sentence says it all.
    pub(crate) fn plain(code: c_int) -> Self {
        Failure { code, detail: Detail::Known(text(code)) }
    }

    pub(crate) fn new(code: c_int, detail: impl Into<String>) -> Self {
        Failure { code, detail: Detail::Said(fieldtest_text::system(&detail.into()).into_owned()) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::InvalidSignature => return Failure::plain(FT_EWRONG),
            Error::MalformedKey(_) => FT_EKEY,
            Error::CollisionAttack => FT_ECOLLISION,
            Error::Unsupported(_) => FT_EUNSUPPORTED,
            _ => FT_ELIBRARY,
        };
        Failure::new(code, error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<(Option<CString>, &'static CStr)> = const { RefCell::new((None, c"")) };
}

/// Does the work of a function and makes a code of what comes of it. No panic crosses into C.
#[inline]
pub(crate) fn call(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => FT_OK,
        Ok(Err(failure)) => keep(failure),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
            keep(Failure::new(FT_EINTERNAL, said.unwrap_or("a panic without a text")))
        }
    }
}

/// As [`call`], for functions that return something: what `otherwise` is, where there is nothing to return.
pub(crate) fn value<T>(otherwise: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut result = None;
    call(|| {
        result = Some(work()?);
        Ok(())
    });
    result.unwrap_or(otherwise)
}

#[cold]
fn keep(Failure { code, detail }: Failure) -> c_int {
    // Where the thread is ending there is nobody left to ask.
    let _ = LAST.try_with(|last| {
        *last.borrow_mut() = match detail {
            Detail::Known(text) => (None, text),
            // Engines, files and callers have their words in it, and whoever shows it does not look at them.
            Detail::Said(text) => (Some(c_text(&fieldtest_text::line(&text))), c""),
        };
    });
    code
}

/// A text as C has it. What lies behind a NUL is cut off.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

fn text(code: c_int) -> &'static CStr {
    let place = usize::try_from(-i64::from(code)).unwrap_or(usize::MAX);
    TEXTS.get(place).copied().unwrap_or(c"no code of libfieldtest")
}

/// The sentence for a code, in lower case and without a full stop. Never NULL; the library owns it.
#[unsafe(no_mangle)]
pub extern "C" fn ft_error_text(code: c_int) -> *const c_char {
    text(code).as_ptr()
}

/// The particulars of the last failure of this thread, such as the length that a key should have had; an empty text before
/// there was any. Never NULL. It is valid until a function fails in this thread again.
#[unsafe(no_mangle)]
pub extern "C" fn ft_error_detail() -> *const c_char {
    let detail = LAST.try_with(|last| {
        let last = last.borrow();
        last.0.as_ref().map_or(last.1.as_ptr(), |said| said.as_ptr())
    });
    detail.unwrap_or(c"".as_ptr())
}

/// The library's version, such as "0.1.0". The library owns it.
#[unsafe(no_mangle)]
pub extern "C" fn ft_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail() -> &'static CStr {
        // SAFETY: what is returned is a text, and nothing fails in this thread while it is looked at.
        unsafe { CStr::from_ptr(ft_error_detail()) }
    }

    #[test]
    fn a_panic_is_a_code_with_its_text() {
        assert_eq!(call(|| panic!("at {}", "home")), FT_EINTERNAL);
        assert_eq!(detail(), c"at home");
        assert_eq!(call(|| Err(Failure::new(FT_EKEY, "left\0right\x1b[31m"))), FT_EKEY);
        assert_eq!(detail(), c"left\\x00right\\x1b[31m");
        assert_eq!(value(7, || Err(Failure::plain(FT_ENULL))), 7);
        assert_eq!(detail(), text(FT_ENULL));
    }

    #[test]
    fn every_code_has_a_sentence() {
        assert_eq!(text(FT_OK), c"all is well");
        let internal = text(FT_EINTERNAL);
        for code in [1, FT_EENGINE - 1, c_int::MIN, c_int::MAX] {
            assert!(![c"", internal, text(FT_OK)].contains(&text(code)), "{code}");
        }
    }
}
