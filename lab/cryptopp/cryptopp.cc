// Crypto++ as a judge of crates/primitives/modes and as its rival, in a process of its own: block ciphers in modes.
//
//   cryptopp digests    the SHA-256 of 10,000 ciphertexts and tags of each cipher, mode and key length, of messages that
//                       crates/primitives/modes/tests/all/cryptopp.rs makes in the same way
//   cryptopp time       reads lines: `CIPHER MODE KEY SECTOR` prepares a page of 4,096 bytes in sectors of so many, with a key of so
//                       many bytes, and is answered by `ready`; `run COUNT` goes through it so many times, and is answered by nanoseconds
#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/ccm.h>
#include <cryptopp/cmac.h>
#include <cryptopp/filters.h>
#include <cryptopp/gcm.h>
#include <cryptopp/hex.h>
#include <cryptopp/lea.h>
#include <cryptopp/modes.h>
#include <cryptopp/sha.h>
#include <cryptopp/xts.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace CryptoPP;
using Bytes = std::vector<byte>;

namespace {

constexpr size_t TAG = 16, NONCE = 12, PAGE = 4096;

// What is done to one message. The output lies apart: Crypto++ 8.7 makes something else of ARIA in CTR where it lies in the same place.
using Work = std::function<void(const byte *iv, const Bytes &associated, const byte *message, size_t length, byte *output, byte *tag)>;
using Prepare = std::function<Work(const Bytes &key)>;

template <class Direction> Prepare sectors()
{
    return [](const Bytes &key) -> Work {
        auto mode = std::make_shared<Direction>();
        const byte zeros[16] = {};
        if (mode->IsResynchronizable())
            mode->SetKeyWithIV(key.data(), key.size(), zeros, sizeof zeros);
        else
            mode->SetKey(key.data(), key.size());
        return [mode](const byte *iv, const Bytes &, const byte *message, size_t length, byte *output, byte *) {
            if (mode->IsResynchronizable())
                mode->Resynchronize(iv, 16);
            mode->ProcessData(output, message, length);
        };
    };
}

template <class M> Prepare messages()
{
    return [](const Bytes &key) -> Work {
        auto mode = std::make_shared<M>();
        const byte zeros[NONCE] = {};
        mode->SetKeyWithIV(key.data(), key.size(), zeros, sizeof zeros);
        return [mode](const byte *nonce, const Bytes &associated, const byte *message, size_t length, byte *output, byte *tag) {
            mode->EncryptAndAuthenticate(output, tag, TAG, nonce, NONCE, associated.data(), associated.size(), message, length);
        };
    };
}

template <class C> Prepare cmac()
{
    return [](const Bytes &key) -> Work {
        auto mac = std::make_shared<CMAC<C>>(key.data(), key.size());
        return [mac](const byte *, const Bytes &, const byte *message, size_t length, byte *, byte *tag) {
            mac->CalculateDigest(tag, message, length);
        };
    };
}

// What a mode takes and gives.
enum Kind { SECTORS, MESSAGES, MAC };

struct Mode {
    const char *name;
    Kind kind;
    size_t keys;
    Prepare prepare;
};

template <class C> std::vector<Mode> modes()
{
    return {
        {"ECB", SECTORS, 1, sectors<typename ECB_Mode<C>::Encryption>()},
        {"CBC", SECTORS, 1, sectors<typename CBC_Mode<C>::Encryption>()},
        {"CTR", SECTORS, 1, sectors<typename CTR_Mode<C>::Encryption>()},
        {"XTS", SECTORS, 2, sectors<typename XTS_Mode<C>::Encryption>()},
        {"GCM", MESSAGES, 1, messages<typename GCM<C>::Encryption>()},
        {"CCM", MESSAGES, 1, messages<typename CCM<C, TAG>::Encryption>()}, {"CMAC", MAC, 1, cmac<C>()},
    };
}

// Where the way back is another one.
template <class C> std::vector<Mode> decryption()
{
    return {
        {"ECB-decrypt", SECTORS, 1, sectors<typename ECB_Mode<C>::Decryption>()},
        {"CBC-decrypt", SECTORS, 1, sectors<typename CBC_Mode<C>::Decryption>()},
        {"XTS-decrypt", SECTORS, 2, sectors<typename XTS_Mode<C>::Decryption>()},
    };
}

struct Cipher {
    std::string name;
    std::vector<Mode> modes, decryption;
};

const std::vector<Cipher> CIPHERS = {{"LEA", modes<LEA>(), decryption<LEA>()},
                                     {"ARIA", modes<ARIA>(), decryption<ARIA>()},
                                     {"AES", modes<AES>(), decryption<AES>()}};

// SplitMix64 (Steele, Lea and Flood 2014).
struct Messages {
    uint64_t state;

    uint64_t next()
    {
        uint64_t mixed = state += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
    Bytes bytes(size_t length)
    {
        Bytes bytes;
        while (bytes.size() < length)
            for (uint64_t number = next(), at = 0; at < 8 && bytes.size() < length; at++)
                bytes.push_back(byte(number >> 8 * at));
        return bytes;
    }
    size_t below(uint64_t bound) { return next() % bound; }
    size_t length(int number) { return number % 100 == 99 ? 4096 + below(4096) : below(300); }
    size_t blocks(int number) { return 16 * (number % 100 == 99 ? 256 + below(256) : 1 + below(40)); }
};

std::string digest(const Mode &mode, size_t key_length)
{
    Messages messages{key_length};
    SHA256 all;
    for (int number = 0; number < 10000; number++) {
        const Work work = mode.prepare(messages.bytes(mode.keys * key_length));
        Bytes iv(16), associated, message;
        byte tag[TAG];
        if (mode.kind == SECTORS) {
            iv = messages.bytes(16);
            message = messages.bytes(messages.blocks(number));
        } else {
            if (mode.kind == MESSAGES) {
                iv = messages.bytes(NONCE);
                associated = messages.bytes(messages.below(48));
            }
            message = messages.bytes(messages.length(number));
        }
        Bytes output(message.size());
        work(iv.data(), associated, message.data(), message.size(), output.data(), tag);
        if (mode.kind != MAC)
            all.Update(output.data(), output.size());
        if (mode.kind != SECTORS)
            all.Update(tag, TAG);
    }
    byte output[SHA256::DIGESTSIZE];
    all.Final(output);
    std::string digits;
    StringSource(output, sizeof output, true, new HexEncoder(new StringSink(digits), false));
    return digits;
}

const Mode *named(const std::string &cipher, const std::string &mode)
{
    for (const Cipher &found : CIPHERS)
        for (const auto *modes : {&found.modes, &found.decryption})
            for (const Mode &one : *modes)
                if (found.name == cipher && one.name == mode)
                    return &one;
    return nullptr;
}

int time_on_request()
{
    std::function<void()> page;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string word, mode;
        words >> word;
        if (word == "run" && page) {
            long count = 0;
            words >> count;
            const auto start = std::chrono::steady_clock::now();
            for (long run = 0; run < count; run++)
                page();
            std::cout << std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count() << std::endl;
            continue;
        }
        size_t key = 0, sector = 0;
        words >> mode >> key >> sector;
        const Mode *found = named(word, mode);
        if (!found || (key != 16 && key != 24 && key != 32) || !sector || PAGE % sector) {
            std::cerr << "cryptopp: what is '" << line << "'?\n";
            return 2;
        }
        Bytes bytes(found->keys * key);
        for (size_t at = 0; at < bytes.size(); at++)
            bytes[at] = byte(at);
        const Work work = found->prepare(bytes);
        page = [work, sector, message = Bytes(PAGE, 7), output = Bytes(PAGE), associated = Bytes(20, 2)]() mutable {
            byte iv[16] = {}, tag[TAG];
            for (size_t at = 0; at < PAGE; at += sector) {
                iv[0] = byte(at / sector);
                work(iv, associated, &message[at], sector, &output[at], tag);
            }
        };
        std::cout << "ready" << std::endl;
    }
    return 0;
}

} // namespace

int main(int count, char **words)
{
    const std::string what = count == 2 ? words[1] : "";
    if (what == "time")
        return time_on_request();
    if (what != "digests") {
        std::cerr << "usage: cryptopp digests | time\n";
        return 2;
    }
    for (const Cipher &cipher : CIPHERS)
        for (size_t key : {16, 24, 32})
            for (const Mode &mode : cipher.modes)
                std::cout << cipher.name << ' ' << mode.name << ' ' << key << ' ' << digest(mode, key) << std::endl;
}
