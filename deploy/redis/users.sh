#!/bin/sh
# Prints the users of users.template as a file for redis-server's --aclfile, with the digests of the passwords of the
# environment. For a Redis that runs already, make commands of them:
#   sh users.sh | sed 's/^user /ACL SETUSER /' | redis-cli …
set -eu

# The digest of the password in the variable $1. Of a password that can be guessed it would tell the password.
digest() {
  eval "password=\${$1:-}"
  case $password in
    *[!A-Za-z0-9_-]*) echo "users.sh: $1 must be of letters, digits, - and _ alone, as openssl rand -hex 32 prints" >&2 && return 1 ;;
  esac
  if [ ${#password} -lt 32 ]; then
    echo "users.sh: $1 must be 32 characters or more: openssl rand -hex 32" >&2
    return 1
  fi
  printf %s "$password" | sha256sum | cut -d ' ' -f 1
}

server=$(digest REDIS_SERVER_PASSWORD)
site=$(digest REDIS_SITE_PASSWORD)
keys=$(digest REDIS_KEYS_PASSWORD)
admin=$(digest REDIS_ADMIN_PASSWORD)
# What is indented belongs to the line before it.
sed -e '/^#/d' -e '/^$/d' "$(dirname "$0")/users.template" |
  awk '/^ / { sub(/^ +/, " "); line = line $0; next } line != "" { print line } { line = $0 } END { print line }' |
  sed -e "s/<server>/$server/" -e "s/<site>/$site/" -e "s/<keys>/$keys/" -e "s/<admin>/$admin/"
