#!/bin/sh
# Runs as the first process of new mount and process namespaces and becomes the container's process:
# container_process.sh ROOT MODEL_FOLDER UID:GID WORKING_DIRECTORY NAME=VALUE... COMMAND...
set -eu

root="$1" model="$2" user="$3" folder="$4"
shift 4

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mkdir -p "$root/opt/ml/model"
mount --bind "$model" "$root/opt/ml/model"
mount -o remount,bind,ro "$root/opt/ml/model"
for device in null zero full random urandom; do
  mount --bind "/dev/$device" "$root/dev/$device"
done

exec chroot --userspec="$user" "$root" /usr/bin/env --ignore-environment --chdir="$folder" "$@"
