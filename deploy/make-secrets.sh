#!/usr/bin/env bash
# Makes the secrets of docker-compose.yml, as env files below deploy/secrets, at random. It never overwrites: with another SECRET_KEY,
# what is encrypted in the database could not be read any more.
#
# Usage: deploy/make-secrets.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
if [ -e secrets ]; then
  echo "make-secrets: deploy/secrets is there already" >&2
  exit 1
fi

random() { od -An -N20 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
mkdir .secrets.new
postgres=$(random) access=$(random) secret=$(random)
cat >.secrets.new/postgres.env <<ENV
POSTGRES_PASSWORD=$postgres
ENV
cat >.secrets.new/versitygw.env <<ENV
ROOT_ACCESS_KEY=$access
ROOT_SECRET_KEY=$secret
ENV
cat >.secrets.new/triphammer.env <<ENV
DATABASE=postgres://triphammer:$postgres@postgres:5432/triphammer
S3_ACCESS_KEY=$access
S3_SECRET_KEY=$secret
SECRET_KEY=$(random)
ADMIN_TOKEN=$(random)
REGISTRATION_TOKEN=$(random)
ENV
mv .secrets.new secrets
echo "make-secrets: ADMIN_TOKEN and REGISTRATION_TOKEN stand in deploy/secrets/triphammer.env" >&2
