//! The adapter for both versions of the library, whose interfaces are nearly the same, and both degrees.

/// `degree` are the library's names for one, `sizes` the bytes of a secret key, of a public key, and of a signature, which is
/// padded, so that the length is fixed. `damaged` says of a secret key and the public key computed from it whether they cannot
/// belong together, `hash` is the identifier that stands for "the message itself", and `outcome` makes an `Option` of what
/// signing returns.
macro_rules! adapter {
    (
        $module:ident, $library:ident, $name:literal,
        degree: [$logn:ident, $generator:ident, $signing:ident, $verifying:ident], sizes: $sizes:expr,
        damaged: $damaged:path, hash: $hash:ident, outcome: $outcome:path
    ) => {
        mod $module {
            use $library::{
                $generator, $hash, $logn, $signing, $verifying, DOMAIN_NONE, KeyPairGenerator as _,
                SigningKey as _, VerifyingKey as _,
            };
            use fieldtest_kinds::Error;
            use fieldtest_kinds::prepared::verifying;
            use fieldtest_kinds::signature::{KeyPair, Randomness, Signature, SigningKey, VerifyingKey};
            use zeroize::Zeroizing;

            use crate::drbg::{Given, with_system};
            use crate::pool::Pool;
            use crate::signature::prepared::randomised;
            use crate::signature::{exactly, put};

            const SIZES: [usize; 3] = $sizes;
            const SECRET_KEY: usize = SIZES[0];
            const PUBLIC_KEY: usize = SIZES[1];
            const SIGNATURE: usize = SIZES[2];

            pub(super) struct Adapter;

            impl Signature for Adapter {
                fn generate(&self) -> Result<KeyPair, Error> {
                    with_system(|random| self.generate_from(random))
                }

                /// By the library's own method: the key pairs of Falcon's known answers do not come out.
                fn generate_from(&self, random: &mut Randomness) -> Result<KeyPair, Error> {
                    let (mut secret, mut public) = (vec![0; SECRET_KEY], vec![0; PUBLIC_KEY]);
                    $generator::default().keygen(
                        $logn,
                        &mut Given(random),
                        &mut secret,
                        &mut public,
                    );
                    Ok(KeyPair { secret, public })
                }

                fn signing_key(&self, secret: &[u8]) -> Result<Box<dyn SigningKey>, Error> {
                    let secret: &[u8; SECRET_KEY] = exactly(concat!("a secret key of ", $name), secret)?;
                    let key = decode(secret)?;
                    let mut public = [0; PUBLIC_KEY];
                    key.to_verifying_key(&mut public);
                    if $damaged(secret, &public) {
                        return Err(Error::MalformedKey(
                            concat!("the parts of this ", $name, " secret key do not belong together")
                                .to_string(),
                        ));
                    }
                    let idle = Pool::default();
                    idle.put(key);
                    let secret = Zeroizing::new(*secret);
                    // The library's key contains the signer's scratch space, so each signature takes one for itself.
                    Ok(randomised(public.to_vec(), move |random, message, signature| {
                        put(signature, &[0; SIGNATURE]);
                        let sign = |key: &mut Box<$signing>| {
                            let signed =
                                key.sign(&mut Given(random), &DOMAIN_NONE, &$hash, message, signature);
                            $outcome(signed)
                                .ok_or_else(|| Error::MalformedKey("signing with this key fails".to_string()))
                        };
                        idle.with(|| decode(&secret), sign)
                    }))
                }

                fn verifying_key(&self, public: &[u8]) -> Result<Box<dyn VerifyingKey>, Error> {
                    let public: &[u8; PUBLIC_KEY] = exactly(concat!("a public key of ", $name), public)?;
                    let key = $verifying::decode(public).ok_or_else(|| {
                        Error::MalformedKey(concat!("these bytes encode no ", $name, " public key").to_string())
                    })?;
                    let key = Box::new(key);
                    Ok(verifying(move |message, signature| {
                        key.verify(signature, &DOMAIN_NONE, &$hash, message)
                    }))
                }
            }

            fn decode(secret: &[u8; SECRET_KEY]) -> Result<Box<$signing>, Error> {
                $signing::decode(secret).map(Box::new).ok_or_else(|| {
                    Error::MalformedKey(concat!("these bytes encode no ", $name, " secret key").to_string())
                })
            }
        }
    };
}

pub(super) use adapter;
