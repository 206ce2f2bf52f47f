#!/bin/sh
# Installs a release of frond: sh install.sh [VERSION]
#
#   FROND_BASE     the address of the releases; VERSION is a folder below it
#   FROND_INSTALL  the folder of the program; ~/.local/bin by default
#   FROND_KEY      an OpenSSH public key: SHA256SUMS has to be signed by it
#
# Nothing is unpacked before its sum is checked against SHA256SUMS.
set -eu

base=${FROND_BASE:-https://github.com/frondhost/frond/releases/download}
folder=${FROND_INSTALL:-$HOME/.local/bin}
fail() { echo "install.sh: $*" >&2; exit 1; }

version=${1:-}
[ -n "$version" ] || fail "the version is missing; write sh install.sh 0.1.0"
version=${version#v}

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no archive for $(uname -s) here; for Windows unpack the .zip" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no archive for $(uname -m); build the program with go install github.com/frondhost/frond/cmd/frond@v$version" ;;
esac
archive=frond_${version}_${os}_${arch}.tar.gz

if command -v curl >/dev/null; then
  get() { curl -fsSL --retry 2 -o "$2" "$1"; }
elif command -v wget >/dev/null; then
  get() { wget -q -O "$2" "$1"; }
else
  fail "curl and wget are missing; install one of them"
fi
if command -v sha256sum >/dev/null; then
  sum() { sha256sum "$1" | cut -d ' ' -f 1; }
else
  sum() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
for name in SHA256SUMS "$archive"; do
  get "$base/v$version/$name" "$work/$name" || fail "$base/v$version/$name cannot be read; check the version and FROND_BASE"
done
if [ -n "${FROND_KEY:-}" ]; then
  get "$base/v$version/SHA256SUMS.sig" "$work/SHA256SUMS.sig" || fail "the release is not signed; leave out FROND_KEY, or install one that is"
  echo "frond $FROND_KEY" >"$work/signers"
  ssh-keygen -Y verify -n frond -I frond -f "$work/signers" -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" >/dev/null ||
    fail "SHA256SUMS is not signed by FROND_KEY"
fi
want=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$want" ] || fail "SHA256SUMS has no sum of $archive; nothing is installed"
got=$(sum "$work/$archive")
[ "$got" = "$want" ] || fail "$archive has the sum $got, and SHA256SUMS says $want; nothing is installed"

mkdir "$work/files"
tar -xzf "$work/$archive" -C "$work/files"
mkdir -p "$folder"
mv "$work/files/frond" "$folder/.frond.new"
mv -f "$folder/.frond.new" "$folder/frond"
echo "frond $version is in $folder/frond"
case ":$PATH:" in
  *":$folder:"*) ;;
  *) echo "add $folder to PATH, or call it by its path" ;;
esac
