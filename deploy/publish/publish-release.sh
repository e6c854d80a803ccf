#!/bin/sh
# Downloads GeoNames' data, builds a snapshot, compares it with the release in service, and publishes it to a channel.
# Stops with exit code 3 where a country would lose over 5 % of its places: then nothing has changed for anybody. Where
# the channel names a release of that name already, nothing is published, so this may run every day. After a rollback,
# take it out of cron until the data are right: it would promote the release again.
#
#   RELEASES     the folder of channels that a static host serves
#   SIGNING_KEY  the secret key of `postal-places signing-key create`; its public key is beside it, with .pub
#   WORK         a folder for the download and the snapshots; default var/publish
#   SITE_URL     the site that the places' addresses point to
#   REMOTE       an rclone remote such as s3:bucket/places, which gets what is new; default: none
#   CHANNEL      the channel that gets the release at the end; default stable. The channel next always gets it
#   MAX_LOSS     the share of its places in percent that a country may lose; default 5
#   COMPARE      no: neither comparison nor old paths. For the first release after an update of the program to another
#                snapshot format, which can't read the release before
set -eu
: "${RELEASES:?names the folder that a static host serves}"
: "${SIGNING_KEY:?names the file of the secret key}"
work=${WORK:-var/publish}
channel=${CHANNEL:-stable}
mkdir -p "$RELEASES" "$work"

# What followers read goes last, after everything that it leads to.
upload() {
  [ -n "${REMOTE:-}" ] || return 0
  rclone copy "$RELEASES/releases" "$REMOTE/releases"
  rclone copy "$RELEASES/channels" "$REMOTE/channels" --include '*.minisig'
  rclone copy "$RELEASES/channels" "$REMOTE/channels" --include '*.json'
}

release_of() {
  postal-places inspect "$1" --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).release'
}

postal-places download --to "$work/release"
set -- "$work/release" --out "$work/next.snapshot"
[ -z "${SITE_URL:-}" ] || set -- "$@" --site-url "$SITE_URL"
before=
if [ -e "$RELEASES/channels/$channel.json" ] && [ "${COMPARE:-yes}" != no ]; then
  postal-places pull "$RELEASES" --to "$work/served" --key "$SIGNING_KEY.pub" --channel "$channel"
  before=$work/served/current
  set -- "$@" --previous "$before"
fi
postal-places build "$@"
release=$(release_of "$work/next.snapshot")
served=
[ -z "$before" ] || served=$(release_of "$before")
if [ "$release" = "$served" ]; then
  # With itself as the release before, it would lose its old paths and its list of changes.
  echo "$channel: names a release $release already"
else
  postal-places verify "$work/next.snapshot"
  [ -z "$before" ] || postal-places diff "$before" "$work/next.snapshot" --max-loss "${MAX_LOSS:-5}"
  postal-places publish "$work/next.snapshot" --to "$RELEASES" --signing-key "$SIGNING_KEY" --channel next
  upload
  # Between these two, machines that follow next can try the release: put the second into a job of its own for that.
  postal-places promote next "$channel" --to "$RELEASES" --signing-key "$SIGNING_KEY"
fi
# Also where nothing is new: the run before may have been killed on its way.
upload
postal-places prune --to "$RELEASES" --keep 3
# Everything is there already: this removes what prune has removed.
[ -z "${REMOTE:-}" ] || rclone sync "$RELEASES" "$REMOTE" --exclude '.*'
