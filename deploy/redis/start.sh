#!/bin/sh
# Starts Redis in its official image with the users of users.sh. Redis itself is not given the passwords.
set -eu
umask 077
sh "$(dirname "$0")/users.sh" > /tmp/users.acl
chown redis /tmp/users.acl
unset REDIS_SERVER_PASSWORD REDIS_SITE_PASSWORD REDIS_KEYS_PASSWORD REDIS_ADMIN_PASSWORD
exec docker-entrypoint.sh redis-server --aclfile /tmp/users.acl "$@"
