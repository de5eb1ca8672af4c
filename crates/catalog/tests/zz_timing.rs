//! scratch
use std::time::Duration;
#[test]
fn damaged_secrets() {
    for (name, n) in [("falcon-512", 300), ("fn-dsa-512", 300), ("sqisign-1", 60), ("sqisign-1-round2", 40)] {
        let i = &fieldtest_catalog::find(name).unwrap().implementations[0];
        let pair = i.signature.generate().unwrap();
        let (mut refused, mut signed, mut err, mut panicked, mut hung, mut badsig) = (0, 0, 0, 0, 0, 0);
        let mut st = 88172645463325252u64;
        for _ in 0..n {
            let mut s = pair.secret.clone();
            st ^= st << 13; st ^= st >> 7; st ^= st << 17;
            let at = st as usize % (s.len()*8); s[at/8] ^= 1 << (at%8);
            let (tx, rx) = std::sync::mpsc::channel();
            let sig = i.signature.clone();
            let public = pair.public.clone();
            std::thread::spawn(move || {
                let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    let k = match sig.signing_key(&s) { Ok(k) => k, Err(_) => return 0 };
                    let mut o = vec![];
                    if k.sign(b"m", &mut o).is_err() { return 1 }
                    if sig.verifying_key(&public).unwrap().verify(b"m", &o).is_ok() { 2 } else { 3 }
                }));
                let _ = tx.send(r.unwrap_or(9));
            });
            match rx.recv_timeout(Duration::from_secs(3)) { Ok(0) => refused += 1, Ok(1) => err += 1, Ok(2) => signed += 1, Ok(3) => badsig += 1, Ok(_) => panicked += 1, Err(_) => hung += 1 }
            if hung > 2 { break }
        }
        println!("{name}: refused {refused} signerr {err} signed-valid {signed} signed-invalid {badsig} panicked {panicked} hung {hung}");
    }
}
