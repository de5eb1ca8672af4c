"""What the lab tries, as both ends must know it: addresses, ports and keys.

Every case has key ids of its own, so that one capture of all of them can be verified with one set of keys."""

from ao import ALGORITHMS, CMAC, SHA1, SHA256, Key

SIZE = 1_000_000


def secret(number):
    """A master key of 32 bytes, another for each number."""
    return bytes((number * 7 + place * 13) % 251 for place in range(32))


class GatewayCase:
    """One connection between the application and the kernel, as the kernel sees its keys.

    Each has an address of the kernel's own, so that the gateway tells the keys apart by address as a router does.
    `passive`: the kernel connects. `rollover`: which end asks for the second key halfway. `gateway_keys`: what the
    gateway has, if not the same."""

    def __init__(self, number, name, family, keys, passive=False, rollover=None, gateway_keys=None):
        self.number, self.name, self.keys, self.passive, self.rollover = number, name, keys, passive, rollover
        self.gateway_keys = keys if gateway_keys is None else gateway_keys
        self.port = 1000 + number
        self.kernel = f"10.9.0.{10 + number}" if family == 4 else f"fd00:9::{10 + number}"
        self.application = "10.8.0.1" if family == 4 else "fd00:8::1"

    def gateway_lines(self):
        """The keys as `fieldtest tcp-ao gateway --keys` reads them: SendID/RecvID:ALGORITHM:SECRET:ADDRESS."""
        for key in self.gateway_keys:
            options = ":exclude-options" if key.exclude_options else ""
            ids = f"{key.receive}/{key.send}"
            yield f"{ids}:{key.algorithm.name}:{key.secret.hex()}{options}:{self.kernel}"


def _key(number, algorithm, exclude_options=False):
    return Key(algorithm, secret(number), number, 100 + number, exclude_options)


def gateway_cases():
    """The connections that must carry their data."""
    number, cases = 0, []
    for family in (4, 6):
        for algorithm in ALGORITHMS:
            for passive in (False, True):
                number += 1
                name = f"v{family}-{algorithm.name}-{'passive' if passive else 'active'}"
                # The last algorithm of each family excludes the options, so that this passes the gateway as well.
                key = _key(number, algorithm, exclude_options=algorithm is SHA256 and passive)
                cases.append(GatewayCase(number, name, family, [key], passive))
    for family, (old, new), side in ((4, (SHA1, CMAC), "kernel"), (6, (CMAC, SHA256), "gateway")):
        number += 1
        keys = [_key(number, old), _key(number + 20, new)]
        cases.append(GatewayCase(number, f"v{family}-rollover-by-{side}", family, keys, rollover=side))
    return cases


def refused_cases():
    """The connections that must carry nothing: the gateway has another secret, or no key at all."""
    wrong = Key(SHA1, secret(99), 41, 141)
    return [GatewayCase(41, "v4-wrong-key", 4, [_key(41, SHA1)], gateway_keys=[wrong]),
            GatewayCase(42, "v6-no-key", 6, [_key(42, CMAC)], gateway_keys=[])]


def all_cases():
    return gateway_cases() + refused_cases()
