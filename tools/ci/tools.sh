# shellcheck shell=bash
# Pins of the servers, runners and forges that tests run against, and where install-tools.sh puts each.
# Source it: `. tools/ci/tools.sh`. A version stands in the folder's name, so two checkouts with different pins do not disturb each other.

export TRIPHAMMER_TOOLS="${TRIPHAMMER_TOOLS:-${HOME:?set HOME or TRIPHAMMER_TOOLS}/.cache/triphammer-tools}"

export NATS_VERSION=v2.15.2
export VERSITYGW_VERSION=v1.8.0
export GITEA_RUNNER_VERSION=v1.0.8
export GITEA_VERSION=v1.26.0

export NATS_SERVER="$TRIPHAMMER_TOOLS/nats-server-$NATS_VERSION/nats-server"
export VERSITYGW="$TRIPHAMMER_TOOLS/versitygw-$VERSITYGW_VERSION/versitygw"
export GITEA_RUNNER="$TRIPHAMMER_TOOLS/gitea-runner-$GITEA_RUNNER_VERSION/gitea-runner"
export GITEA="$TRIPHAMMER_TOOLS/gitea-$GITEA_VERSION/gitea"
# Templates, options and public files: Gitea's [server] STATIC_ROOT_PATH.
export GITEA_STATIC="$TRIPHAMMER_TOOLS/gitea-$GITEA_VERSION/static"

# Postgres 15 is the oldest that is supported; the embedded default is newer.
export POSTGRES_BIN=/usr/lib/postgresql/15/bin
