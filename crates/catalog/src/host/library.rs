//! How a library of the host is loaded, and how a table of its functions is filled.

// Calls through a foreign interface are what this module exists for.
#![allow(unsafe_code)]

use std::error::Error as _;
use std::ffi::c_void;
use std::ptr::NonNull;

use libloading::Library;

/// Declares a table of functions, and how it is filled from a library.
macro_rules! functions {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn load(library: &libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Functions {
                    // SAFETY: the type is the function's declaration in the releases of this file name.
                    $($name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? },)*
                })
            }
        }
    };
}
pub(super) use functions;

pub(super) struct Wanted {
    pub(super) name: &'static str,
    /// What it is called in sentences: `OpenSSL 3`.
    pub(super) title: &'static str,
    /// The variable that names another file than the system's. A host's library is as old as the host:
    /// AES-256-XTS runs at 12.6 GB/s by OpenSSL 4.0, and at 5.2 by Debian 12's 3.0.22 (Intel).
    pub(super) variable: &'static str,
    /// Its file names, the one to be preferred first.
    pub(super) files: &'static [&'static str],
}

impl Wanted {
    /// What `read` makes of the first file that is there and has what `read` looks for; the error says why there is none. A
    /// library stays until the process ends: unloading is what libraries get wrong.
    pub(super) fn load<T>(&self, read: impl Fn(&'static Library) -> Result<T, String>) -> Result<T, String> {
        if !super::is_looked_for(self.name) {
            return Err(format!("{} is not looked for by this process", self.title));
        }
        let load = |file: &str| {
            // SAFETY: the initialisers of the libraries that are asked for here run once and expect nothing of their caller.
            let library = unsafe { Library::new(file) }.map_err(|error| {
                error.source().map_or_else(|| format!("{file}: {error}"), |reason| reason.to_string())
            })?;
            read(Box::leak(Box::new(library))).map_err(|reason| format!("{file} {reason}"))
        };
        if let Ok(file) = std::env::var(self.variable) {
            return load(&file).map_err(|error| {
                format!("{} does not name a usable {}: {error}", self.variable, self.title)
            });
        }
        let mut reasons = Vec::new();
        for file in self.files {
            match load(file) {
                Ok(found) => return Ok(found),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(format!("no {} on this host: {}", self.title, reasons.join("; ")))
    }
}

pub(super) type Free = unsafe extern "C" fn(*mut c_void);

/// An object of a library, which is freed with this value.
pub(super) struct Object {
    at: NonNull<c_void>,
    free: Free,
}

// SAFETY: the objects of the libraries here may move between threads. Which may be shared, the types made of this one say.
unsafe impl Send for Object {}

impl Object {
    /// Nothing of NULL.
    ///
    /// # Safety
    /// Whatever else it points to is an object that `free` frees, and that nobody else does.
    pub(super) unsafe fn owned(at: *mut c_void, free: Free) -> Option<Object> {
        NonNull::new(at).map(|at| Object { at, free })
    }

    pub(super) fn at(&self) -> *mut c_void {
        self.at.as_ptr()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: owned by this value, and freed here only.
        unsafe { (self.free)(self.at()) };
    }
}

/// The reason of a library that lacks a function.
pub(super) fn too_old(error: libloading::Error) -> String {
    format!("is too old: {error}")
}
