// Makes a key pair of an algorithm, signs a message, and verifies it: libfieldtest by cgo.
//
//	go run sign.go ml-dsa-44
package main

// #cgo pkg-config: fieldtest
// #include <fieldtest.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// check ends the program where a call failed. What is known of a failure belongs to its thread, so main stays on one.
func check(code C.int) {
	if code != C.FT_OK {
		fmt.Fprintf(os.Stderr, "%s: %s\n", C.GoString(C.ft_error_text(code)), C.GoString(C.ft_error_detail()))
		os.Exit(1)
	}
}

// room has as many bytes as the size of that name, and some more, as a stored secret key of RSA has no fixed length.
func room(algorithm *C.ft_algorithm, name string) []byte {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var size C.size_t
	check(C.ft_algorithm_size(algorithm, text, &size))
	return make([]byte, int(size)+1200)
}

func first(bytes []byte) *C.uint8_t { return (*C.uint8_t)(&bytes[0]) }

func main() {
	runtime.LockOSThread()
	name := "ml-dsa-44"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var algorithm *C.ft_algorithm
	var code *C.ft_implementation
	check(C.ft_algorithm_find(text, &algorithm))
	check(C.ft_implementation_find(algorithm, nil, &code))

	secret, public := room(algorithm, "secret-key"), room(algorithm, "public-key")
	var secretLength, publicLength C.size_t
	check(C.ft_generate(code, first(secret), C.size_t(len(secret)), &secretLength,
		first(public), C.size_t(len(public)), &publicLength))

	var signing *C.ft_signing_key
	var verifying *C.ft_verifying_key
	check(C.ft_signing_key_new(code, first(secret), secretLength, &signing))
	defer C.ft_signing_key_free(signing)
	check(C.ft_verifying_key_new(code, first(public), publicLength, &verifying))
	defer C.ft_verifying_key_free(verifying)

	message, signature := []byte("a message"), room(algorithm, "signature")
	var length C.size_t
	check(C.ft_sign(signing, first(message), C.size_t(len(message)), first(signature), C.size_t(len(signature)), &length))
	check(C.ft_verify(verifying, first(message), C.size_t(len(message)), first(signature), length))
	fmt.Printf("signed and verified by %s: %d bytes\n", C.GoString(C.ft_implementation_name(code)), length)

	message[0] ^= 1
	wrong := C.ft_verify(verifying, first(message), C.size_t(len(message)), first(signature), length)
	if wrong != C.FT_EWRONG {
		fmt.Fprintln(os.Stderr, "another message was taken")
		os.Exit(1)
	}
	fmt.Printf("another message: %s\n", C.GoString(C.ft_error_text(wrong)))
}
