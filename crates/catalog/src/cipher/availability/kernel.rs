//! The running kernel.

use std::fs;

use super::Finding;

/// What the kernel has at hand or can load.
pub(super) fn finding() -> Option<Finding> {
    let crypto = fs::read_to_string("/proc/crypto").ok()?;
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?.trim().to_owned();
    let folder = format!("/lib/modules/{release}");
    // What is built in is listed with NUL between the entries.
    let aliases = ["modules.alias", "modules.builtin.modinfo"].map(|list| {
        let bytes = fs::read(format!("{folder}/{list}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned() + "\n"
    });
    let aliases = aliases.concat();
    Some(Finding::new("Linux kernel", release, |algorithm| {
        has(&crypto, &aliases, &algorithm.facts.kind.dm_crypt)
    }))
}

/// Whether a specification of dm-crypt can be served: the list of `/proc/crypto` has the cipher in its mode, or each
/// of the two is there or can be loaded, by an alias.
fn has(crypto: &str, aliases: &str, dm_crypt: &str) -> bool {
    let mut parts = dm_crypt.split('-');
    let (Some(cipher), Some(mode)) = (parts.next(), parts.next()) else { return false };
    let there = |wanted: &str| {
        crypto
            .lines()
            .filter_map(|line| line.split_once(':'))
            .any(|(field, value)| field.trim() == "name" && value.trim() == wanted)
    };
    let loadable = |wanted: &str| {
        let alias = format!("crypto-{wanted}");
        aliases.split([' ', '\n', '\0', '=']).any(|word| word == alias)
    };
    there(&format!("{mode}({cipher})"))
        || (loadable(mode) && cipher.split(',').all(|cipher| there(cipher) || loadable(cipher)))
}

#[cfg(test)]
mod tests {
    use super::has;

    #[test]
    fn ciphers_are_there_or_can_be_loaded() {
        let crypto = "name         : xts(aes)\ndriver       : xts-aes-aesni\n\nname         : aes\n";
        assert!(has(crypto, "", "aes-xts-plain64"));
        assert!(!has(crypto, "", "aria-xts-plain64") && !has(crypto, "", "aes-hctr2-plain64"));
        let aliases =
            "alias crypto-aria aria_generic\nxts.alias=crypto-xts\0alias crypto-adiantum adiantum\n";
        assert!(has(crypto, aliases, "aria-xts-plain64"));
        assert!(!has(crypto, aliases, "xchacha12,aes-adiantum-plain64"));
        let aliases = format!("{aliases}alias crypto-xchacha12 chacha_generic\n");
        assert!(has(crypto, &aliases, "xchacha12,aes-adiantum-plain64"));
        assert!(!has(crypto, &aliases, "nonsense") && !has(crypto, &aliases, ""));
    }
}
