//! The type by which a primitive names its code paths.

/// Declares `Path`, one way to compute something, whose values are the proof that this processor has the path's
/// instructions, and `Kind`, what a primitive matches on. The paths stand in the order of preference, the best last.
///
/// A cipher whose round keys have a form of the path's own is prepared for a path (`new_on`); where all paths share
/// a key, or there is none, the path is chosen for each operation (`encrypt_on`, `hash_on`).
///
/// ```
/// mod path {
///     fieldtest_cpu::paths! {
///         /// One way to run the cipher.
///         portable: /// Plain Rust.
///         Avx2 "AVX2" needs AVX2;
///         Avx512 "AVX-512" needs AVX2 AVX512F AVX512VL;
///     }
/// }
/// use path::Path;
///
/// assert_eq!(Path::available().next(), Some(Path::PORTABLE));
/// assert_eq!(Path::available().last(), Some(Path::best()));
/// assert_eq!(Path::PORTABLE.name(), "portable");
/// ```
#[macro_export]
macro_rules! paths {
    (
        $(#[$about:meta])*
        portable: $(#[$portable:meta])*
        $($kind:ident $name:literal needs $($extension:ident)+;)*
    ) => {
        $(#[$about])*
        ///
        /// A value is the proof that this processor has the path's instructions: it comes from `available`, `best` or
        /// `PORTABLE` only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Path(Kind);

        /// The paths in the order of preference: the best is the last.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            Portable,
            $(#[cfg(target_arch = "x86_64")] $kind,)*
        }

        impl Path {
            $(#[$portable])*
            pub const PORTABLE: Self = Self(Kind::Portable);

            /// The fastest path of this processor.
            #[inline]
            #[must_use]
            pub fn best() -> Self {
                Self::available().last().unwrap_or(Self::PORTABLE)
            }

            /// Every path that this processor can take, the fastest last.
            #[inline]
            pub fn available() -> impl Iterator<Item = Self> {
                #[cfg(target_arch = "x86_64")]
                let there = $crate::Extensions::of_this_processor();
                [
                    Some(Self::PORTABLE),
                    $(
                        #[cfg(target_arch = "x86_64")]
                        there.has($($crate::Extensions::$extension)|+).then_some(Self(Kind::$kind)),
                    )*
                ]
                .into_iter()
                .flatten()
            }

            /// The path's name: the instructions it uses.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.0 {
                    Kind::Portable => "portable",
                    $(#[cfg(target_arch = "x86_64")] Kind::$kind => $name,)*
                }
            }

            /// What to match on.
            #[inline]
            pub(crate) fn kind(self) -> Kind {
                self.0
            }
        }
    };
}
