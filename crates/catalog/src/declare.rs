//! What the modules of all kinds have alike.

/// Declares what the module of every kind has: its families, a word each, which are its submodules; its types; and how its
/// algorithms are found.
macro_rules! kind {
    (
        $kind:ident by $code:path, $facts:ty, $word:literal, $title:literal, $(#[$order:meta])+
        [$($(#[$only:meta])? $family:ident),* $(,)?]
    ) => {
        $($(#[$only])? pub(crate) mod $family;)*

        /// The files under `facts/`: name and text.
        pub(crate) const FACTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/", $word, ".rs"));

        /// An algorithm of this kind.
        pub type Algorithm = crate::Algorithm<crate::kind::$kind>;
        /// Code for one.
        pub type Implementation = crate::Implementation<crate::kind::$kind>;
        /// A family's algorithms, each with its implementations.
        type Family = crate::join::Family<crate::kind::$kind>;
        /// The implementations of one algorithm while they are gathered.
        type List = crate::join::List<crate::kind::$kind>;

        impl crate::kind::Kind for crate::kind::$kind {
            type Code = dyn $code;
            type Facts = $facts;
            const WORD: &'static str = $word;
            const TITLE: &'static str = $title;

            fn all() -> &'static [Algorithm] {
                static ALL: std::sync::LazyLock<Vec<Algorithm>> = std::sync::LazyLock::new(|| {
                    crate::join::algorithms(FACTS, &[$($(#[$only])? $family::family),*])
                });
                &ALL
            }
        }

        impl crate::waiting::Awaited for crate::kind::$kind {
            fn waiting() -> &'static crate::waiting::Waiting<crate::kind::$kind> {
                static WAITING: crate::waiting::Waiting<crate::kind::$kind> = crate::waiting::Waiting::none();
                &WAITING
            }
        }

        $(#[$order])+
        ///
        /// # Panics
        /// If the embedded facts and the adapters disagree, which is a defect of the build that this crate's tests exclude.
        pub fn all() -> &'static [Algorithm] {
            <crate::kind::$kind as crate::kind::Kind>::all()
        }

        /// The one of that name, or an error that suggests the nearest ones.
        pub fn find(name: &str) -> Result<&'static Algorithm, crate::UnknownName> {
            crate::find(name)
        }
    };
}
pub(crate) use kind;
