// Crypto++ behind functions of C, since its own names and types are those of one compiler: a key of a block cipher in a mode, by the
// catalog's name for both. `lab/cryptopp.sh` builds it on the host; FIELDTEST_LIBCRYPTOPP names what it made.
#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/config.h>
#include <cryptopp/gcm.h>
#include <cryptopp/lea.h>
#include <cryptopp/modes.h>
#include <cryptopp/xts.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

using namespace CryptoPP;

namespace {

// Both directions of one key.
struct Key {
    std::unique_ptr<SymmetricCipher> encryption, decryption;
    std::unique_ptr<AuthenticatedSymmetricCipher> sealing, opening;
};

template <class M> bool in_mode(Key &key, const byte *bytes, size_t length)
{
    const byte zeros[16] = {};
    key.encryption.reset(new typename M::Encryption);
    key.decryption.reset(new typename M::Decryption);
    if (key.encryption->IsResynchronizable()) {
        key.encryption->SetKeyWithIV(bytes, length, zeros, sizeof zeros);
        key.decryption->SetKeyWithIV(bytes, length, zeros, sizeof zeros);
    } else {
        key.encryption->SetKey(bytes, length);
        key.decryption->SetKey(bytes, length);
    }
    return true;
}

template <class M> bool authenticated(Key &key, const byte *bytes, size_t length)
{
    const byte zeros[12] = {};
    key.sealing.reset(new typename M::Encryption);
    key.opening.reset(new typename M::Decryption);
    key.sealing->SetKeyWithIV(bytes, length, zeros, sizeof zeros);
    key.opening->SetKeyWithIV(bytes, length, zeros, sizeof zeros);
    return true;
}

template <class C> bool prepare(Key &key, const std::string &mode, const byte *bytes, size_t length)
{
    if (mode == "ecb") return in_mode<ECB_Mode<C>>(key, bytes, length);
    if (mode == "cbc") return in_mode<CBC_Mode<C>>(key, bytes, length);
    if (mode == "ctr") return in_mode<CTR_Mode<C>>(key, bytes, length);
    if (mode == "xts") return in_mode<XTS_Mode<C>>(key, bytes, length);
    if (mode == "gcm") return authenticated<GCM<C>>(key, bytes, length);
    return false;
}

} // namespace

extern "C" {

int fieldtest_cryptopp_version() { return CRYPTOPP_VERSION; }

// A key, or NULL.
void *fieldtest_cryptopp_key(const char *block, const char *mode, const uint8_t *bytes, size_t length)
{
    try {
        std::unique_ptr<Key> key(new Key);
        const std::string name(block);
        const bool made = name == "aes"    ? prepare<AES>(*key, mode, bytes, length)
                          : name == "aria" ? prepare<ARIA>(*key, mode, bytes, length)
                          : name == "lea"  ? prepare<LEA>(*key, mode, bytes, length)
                                           : false;
        return made ? key.release() : nullptr;
    } catch (...) {
        return nullptr;
    }
}

void fieldtest_cryptopp_free(void *key) { delete static_cast<Key *>(key); }

// In place; 0 if it succeeded. Without a tweak the blocks stand for themselves. XTS has to be told the tweak's length: without it
// Crypto++ 8.7 copies 2^64 - 1 bytes.
int fieldtest_cryptopp_crypt(void *at, int encrypts, const uint8_t *tweak, uint8_t *data, size_t length)
{
    try {
        Key &key = *static_cast<Key *>(at);
        SymmetricCipher &cipher = encrypts ? *key.encryption : *key.decryption;
        if (tweak) cipher.Resynchronize(tweak, 16);
        cipher.ProcessData(data, data, length);
        return 0;
    } catch (...) {
        return 1;
    }
}

// In place, with a nonce of 12 bytes and a tag of 16; 0 if it succeeded.
int fieldtest_cryptopp_seal(void *at, const uint8_t *nonce, const uint8_t *beside, size_t beside_length, uint8_t *data,
                            size_t length, uint8_t *tag)
{
    try {
        static_cast<Key *>(at)->sealing->EncryptAndAuthenticate(data, tag, 16, nonce, 12, beside, beside_length, data, length);
        return 0;
    } catch (...) {
        return 1;
    }
}

// The same backwards; 2 if the tag is another one.
int fieldtest_cryptopp_open(void *at, const uint8_t *nonce, const uint8_t *beside, size_t beside_length, uint8_t *data,
                            size_t length, const uint8_t *tag)
{
    try {
        AuthenticatedSymmetricCipher &cipher = *static_cast<Key *>(at)->opening;
        return cipher.DecryptAndVerify(data, tag, 16, nonce, 12, beside, beside_length, data, length) ? 0 : 2;
    } catch (...) {
        return 1;
    }
}
}
