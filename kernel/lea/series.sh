#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The patch series for Linux, of these sources: OUT/0000-cover-letter.patch and three patches, for `git am`.
#
# usage: kernel/lea/series.sh OUT [TREE]
#
# TREE is an unpacked kernel source, target/lab/kernel/source if not said otherwise (lab/kernel/build.sh --source unpacks
# one; the series is for Linux 7.3). It is only read. The author and signer is whom git knows: user.name and user.email.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[[ $# -eq 1 || $# -eq 2 ]] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
tree=${2:-$here/../../target/lab/kernel/source}
[[ -f $tree/crypto/testmgr.c ]] || { echo "$tree is no kernel source; unpack one with: lab/kernel/build.sh --source $tree" >&2; exit 1; }

changed=(crypto/{Kconfig,Makefile,testmgr.c,testmgr.h} arch/x86/crypto/{Kconfig,Makefile})
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "${changed[@]}"; do install -m 644 -D "$tree/$file" "$work/$file"; done
cd "$work"
git init -q -b lea .
# What the kernel has so far, for the patches to be made against; nobody signs for it.
git add . && git -c user.name=linux -c user.email=linux@localhost commit -q -m 'Linux'

# Files as they are here, without what is for modules out of the tree only.
take() { # file...
    local file
    for file in "$@"; do
        mkdir -p "$(dirname "$file")"
        awk '/^#ifdef LEA_OUT_OF_TREE/ { skip = 1 } !skip { print } /^#endif/ { skip = 0 }' "$here/$file" |
            cat -s > "$file"
    done
}
# Puts standard input into a file, before or after the first line that matches; with a start, the first one after that.
put() { # before|after file expression [start]
    # By the environment, as awk reads escapes in what -v gives it.
    where=$1 expression=$3 start=${4:-} text=$(cat) awk '
        BEGIN {
            where = ENVIRON["where"]; expression = ENVIRON["expression"]; start = ENVIRON["start"]
            text = ENVIRON["text"]
        }
        start != "" && index($0, start) { start = "" }
        start == "" && !done && $0 ~ expression { done = 1; if (where == "before") print text "\n"; print
            if (where == "after") print text; next }
        { print }
        END { exit !done }' "$2" > "$2.new" || { echo "$2 has no line $3" >&2; exit 1; }
    mv "$2.new" "$2"
}
commit() { # message's lines on standard input
    git add .
    git commit -q -s -F -
}

take include/crypto/lea.h crypto/lea_generic.c
put before crypto/Kconfig '^config CRYPTO_SEED$' << 'END'
config CRYPTO_LEA
	tristate "LEA"
	select CRYPTO_ALGAPI
	help
	  LEA cipher algorithm (KS X 3246, ISO/IEC 29192-2:2019)

	  LEA is a standard block cipher of the Republic of Korea with keys of
	  128, 192 and 256 bits. It consists of additions, rotations and XOR
	  of 32-bit words.

	  See:
	  https://seed.kisa.or.kr/kisa/algorithm/EgovLeaInfo.do

END
put after crypto/Makefile '^obj-\$\(CONFIG_CRYPTO_KHAZAD\)' << 'END'
obj-$(CONFIG_CRYPTO_LEA) += lea_generic.o
END
commit << 'END'
crypto: lea - add LEA block cipher

LEA (KS X 3246, ISO/IEC 29192-2:2019) is a 128-bit block cipher with keys
of 128, 192 and 256 bits, and one of those that the Korean validation
program KCMVP approves. Its additions, rotations and XOR of 32-bit words
take the same time for every key and text.
END

sed -n '/^\/\* series.sh puts/,/^#endif/p' "$here/test/lea-vectors.h" | sed '1,2d; $d' > vectors
put before crypto/testmgr.h '^#endif.*_CRYPTO_TESTMGR_H' < vectors
rm vectors
# The table of algorithms is sorted by name.
entry() { # algorithm vectors entry-before generic-driver [test suite]
    {
        printf '\t\t.alg = "%s",\n' "$1"
        [[ -z $4 ]] || printf '\t\t.generic_driver = "%s",\n' "$4"
        printf '\t\t.test = alg_test_%s,\n\t\t.suite = {\n' "${5:-skcipher}"
        printf '\t\t\t.%s = %s\n\t\t}\n\t}, {\n' "${6:-cipher}" "__VECS($2)"
    } | put after crypto/testmgr.c '^\t}, {$' ".alg = \"$3\""
}
entry 'cbc(lea)' lea_cbc_tv_template 'cbc(des3_ede)' ''
entry 'ctr(lea)' lea_ctr_tv_template 'ctr(des3_ede)' ''
entry 'ecb(lea)' lea_tv_template 'ecb(khazad)' ''
entry 'gcm(lea)' lea_gcm_tv_template 'gcm(aria)' 'gcm_base(ctr(lea-generic),ghash-lib)' aead aead
entry 'xts(lea)' lea_xts_tv_template 'xts(cast6)' 'xts(ecb(lea-generic))'
commit << 'END'
crypto: testmgr - add LEA test vectors

ECB: the examples of KS X 3246 and ISO/IEC 29192-2:2019, and vectors of
KISA's lea_vs, as for CBC, CTR and GCM. For XTS no official vectors were to
be had: it was computed with a program written from the specifications that
agrees with Crypto++ on whole blocks.
END

take arch/x86/crypto/lea-avx2-asm_64.S arch/x86/crypto/lea_avx2_glue.c
put before arch/x86/crypto/Kconfig '^config CRYPTO_AEGIS128_AESNI_SSE2$' << 'END'
config CRYPTO_LEA_AVX2_X86_64
	tristate "Ciphers: LEA with modes: ECB, CBC, CTR, XTS (AVX2)"
	depends on 64BIT
	select CRYPTO_SKCIPHER
	select CRYPTO_LEA
	help
	  Length-preserving ciphers: LEA cipher algorithm
	  (KS X 3246, ISO/IEC 29192-2:2019) with ECB, CBC, CTR and XTS modes

	  Architecture: x86_64 using:
	  - AVX2 (Advanced Vector Extensions 2)

	  Processes 16 blocks in parallel.

END
put after arch/x86/crypto/Makefile '^aria-gfni-avx512-x86_64-y' << 'END'

obj-$(CONFIG_CRYPTO_LEA_AVX2_X86_64) += lea-avx2-x86_64.o
lea-avx2-x86_64-y := lea-avx2-asm_64.o lea_avx2_glue.o
END
commit << 'END'
crypto: x86/lea - add AVX2 implementation in ECB, CBC, CTR and XTS modes

Sixteen blocks at a time, the same word of eight blocks in one register.
Where the vector registers may not be used, and for what is left of less
than sixteen blocks, the generic code does each block.
END

git config branch.lea.description "$(cat "$here/series/cover-letter.txt")"
rm -f "$out"/00*.patch
git format-patch -q --cover-letter --cover-from-description=subject --no-signature -o "$out" HEAD~3
ls "$out"/00*.patch
