#!/usr/bin/env bash
# Fill an empty folder with a root file system that has the layout of AWS's Deep Learning Container for llama.cpp:
# Python with pip as `python` and `python3`, /opt/llama.cpp/bin, and no compiler, headers, numpy or find.
set -euo pipefail

readonly root="$1" libraries="$2"
readonly suite=bookworm keyring=/usr/share/keyrings/debian-archive-keyring.gpg

debootstrap --variant=minbase --force-check-gpg --keyring="$keyring" \
  --include=python3,python3-pip,ca-certificates "$suite" "$root" >&2

# The container's Python is its own: pip may install into it. Debian's says otherwise with this file.
rm "$root"/usr/lib/python3*/EXTERNALLY-MANAGED
ln -s python3 "$root/usr/bin/python"
rm "$root/usr/bin/find"
rm -r "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/usr/share/{doc,man,locale,info}

mkdir -p "$root/opt/llama.cpp/bin" "$root/opt/ml"
cp --dereference "$libraries"/libllama.so "$libraries"/libggml*.so "$root/opt/llama.cpp/bin/"
# What libraries are linked to by name may carry a version the folder's plain names lack.
cp --dereference "$libraries"/lib*.v*.so "$root/opt/llama.cpp/bin/"

# An image that keeps its base's entrypoint would serve the wrong thing: here it ends.
cat >"$root/usr/bin/serve" <<'SERVE'
#!/bin/sh
echo "This is the entrypoint of the base, not of the decision image." >&2
exit 64
SERVE
chmod 755 "$root/usr/bin/serve"

for absent in gcc cc c++ g++ clang ld make find; do
  [[ ! -e $root/usr/bin/$absent ]] || { echo "The stand-in base holds $absent, which the real one does not." >&2; exit 1; }
done
for absent in "$root"/usr/include/*.h "$root"/usr/include/python3* "$root"/usr/lib/python3/dist-packages/numpy; do
  [[ ! -e $absent ]] || { echo "The stand-in base holds $absent, which the real one does not." >&2; exit 1; }
done
