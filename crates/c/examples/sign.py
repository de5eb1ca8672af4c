"""Makes a key pair of an algorithm, signs a message, and verifies it: libfieldtest by ctypes.

    python3 sign.py ml-dsa-44
"""

import sys
from ctypes import CDLL, byref, c_char_p, c_int, c_size_t, c_void_p, create_string_buffer

ft = CDLL("libfieldtest.so.0")
for function in ("ft_error_text", "ft_error_detail", "ft_implementation_name"):
    getattr(ft, function).restype = c_char_p
ft.ft_error_text.argtypes = [c_int]
ft.ft_error_detail.argtypes = []
ft.ft_implementation_name.argtypes = [c_void_p]
output = [c_char_p, c_size_t, c_void_p]
ft.ft_algorithm_find.argtypes = [c_char_p, c_void_p]
ft.ft_algorithm_size.argtypes = [c_void_p, c_char_p, c_void_p]
ft.ft_implementation_find.argtypes = [c_void_p, c_char_p, c_void_p]
ft.ft_generate.argtypes = [c_void_p, *output, *output]
for function in ("ft_signing_key_new", "ft_verifying_key_new"):
    getattr(ft, function).argtypes = [c_void_p, c_char_p, c_size_t, c_void_p]
for function in ("ft_signing_key_free", "ft_verifying_key_free"):
    getattr(ft, function).argtypes = [c_void_p]
ft.ft_sign.argtypes = [c_void_p, c_char_p, c_size_t, *output]
ft.ft_verify.argtypes = [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t]

FT_OK, FT_EWRONG = 0, -1


def check(code):
    """Raises what the library says of a call that failed."""
    if code != FT_OK:
        raise RuntimeError(f"{ft.ft_error_text(code).decode()}: {ft.ft_error_detail().decode()}")


def handle(function, *arguments):
    """A handle that a function gives out by its last argument."""
    made = c_void_p()
    check(function(*arguments, byref(made)))
    return made


def room(name):
    """Room for what has this size, and where its length goes."""
    size = c_size_t()
    check(ft.ft_algorithm_size(algorithm, name, byref(size)))
    return create_string_buffer(size.value + 1200), c_size_t()


algorithm = handle(ft.ft_algorithm_find, (sys.argv[1] if len(sys.argv) > 1 else "ml-dsa-44").encode())
code = handle(ft.ft_implementation_find, algorithm, None)

(secret, secret_length), (public, public_length) = room(b"secret-key"), room(b"public-key")
check(ft.ft_generate(code, secret, len(secret), byref(secret_length), public, len(public), byref(public_length)))
signing = handle(ft.ft_signing_key_new, code, secret, secret_length)
verifying = handle(ft.ft_verifying_key_new, code, public, public_length)

message = b"a message"
signature, length = room(b"signature")
check(ft.ft_sign(signing, message, len(message), signature, len(signature), byref(length)))
check(ft.ft_verify(verifying, message, len(message), signature, length))
print(f"signed and verified by {ft.ft_implementation_name(code).decode()}: {length.value} bytes")

other = b"another message"
assert ft.ft_verify(verifying, other, len(other), signature, length) == FT_EWRONG
print(f"another message: {ft.ft_error_text(FT_EWRONG).decode()}")
check(ft.ft_signing_key_free(signing))
check(ft.ft_verifying_key_free(verifying))
