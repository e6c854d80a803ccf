#!/bin/sh
# Downloads GeoNames' data, builds a snapshot, compares it with the release in service, and publishes it in parts. Stops
# with exit code 3 where a country would lose over 5 % of its places: then nothing has changed for anybody. A release
# that is published already is not written again, so this may run every day.
#
#   PARTS        the folder that a static host serves
#   SIGNING_KEY  the secret key of `postal-places signing-key create`; its public key is beside it, with .pub
#   WORK         a folder for the download and the snapshots; default var/publish
#   SITE_URL     the site that the places' addresses point to
#   REMOTE       an rclone remote such as s3:bucket/places, which gets what is new; default: none
#   CHANNEL      the channel that gets the release at the end; default stable. The channel next always gets it
set -eu
: "${PARTS:?names the folder that a static host serves}"
: "${SIGNING_KEY:?names the file of the secret key}"
work=${WORK:-var/publish}
channel=${CHANNEL:-stable}
mkdir -p "$PARTS" "$work"

# What followers read goes last, after everything that it leads to.
upload() {
  [ -n "${REMOTE:-}" ] || return 0
  rclone copy "$PARTS/parts" "$REMOTE/parts" --immutable
  rclone copy "$PARTS/releases" "$REMOTE/releases"
  rclone copy "$PARTS/channels" "$REMOTE/channels" --include '*.minisig'
  rclone copy "$PARTS/channels" "$REMOTE/channels" --include '*.json'
}

postal-places download --to "$work/release"
set -- "$work/release" --out "$work/next.snapshot"
[ -z "${SITE_URL:-}" ] || set -- "$@" --site-url "$SITE_URL"
if [ -e "$PARTS/channels/$channel.json" ]; then
  postal-places pull "$PARTS" --to "$work/served" --key "$SIGNING_KEY.pub" --channel "$channel"
  postal-places build "$@" --previous "$work/served"
  postal-places verify "$work/next.snapshot"
  postal-places diff "$work/served/current" "$work/next.snapshot" --max-loss 5
else
  postal-places build "$@"
  postal-places verify "$work/next.snapshot"
fi
postal-places publish "$work/next.snapshot" --to "$PARTS" --parts --signing-key "$SIGNING_KEY" --channel next
upload
# Between these two, machines that follow next can try the release: put the second into a job of its own for that.
postal-places promote next "$channel" --to "$PARTS" --signing-key "$SIGNING_KEY"
upload
postal-places prune --to "$PARTS" --keep 3
# Everything is there already: this removes what prune has removed.
[ -z "${REMOTE:-}" ] || rclone sync "$PARTS" "$REMOTE" --exclude '.*'
