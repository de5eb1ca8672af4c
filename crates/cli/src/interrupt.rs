//! Ctrl-C: the first one asks the measurement to end and keep what it has, the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::output;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The flag that measurements look at between rounds. Installs the handler on the first call.
pub(crate) fn flag() -> &'static AtomicBool {
    static INSTALL: std::sync::Once = std::sync::Once::new();
    INSTALL.call_once(|| {
        let installed = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            output::message(
                "stopping after this round; what is measured is kept. Press again to end at once.",
            );
        });
        if let Err(error) = installed {
            output::message(&format!("cannot handle Ctrl-C ({error}); an interrupted study leaves nothing"));
        }
    });
    &ASKED
}

/// Whether the user asked for the end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
