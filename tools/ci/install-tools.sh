#!/usr/bin/env bash
# Installs what .ci/run and `npm run test:servers` need beside `npm ci`: Debian packages, and Go programs built from pinned modules into
# TRIPHAMMER_TOOLS (default ~/.cache/triphammer-tools). A second run finds everything in place and ends at once. What cannot be had fails by name.
#
# Usage: tools/ci/install-tools.sh             all of it
#        tools/ci/install-tools.sh gitea_runner  one Go program alone (gitea, versitygw, gitea_runner, nats_server)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=tools.sh
. "$here/tools.sh"

say() { printf 'install-tools: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

main() {
  mkdir -p "$TRIPHAMMER_TOOLS"
  exec 9>"$TRIPHAMMER_TOOLS/.lock"
  flock 9
  if [ $# -eq 0 ]; then
    install_debian_packages
    build_missing_tools gitea versitygw gitea_runner nats_server
  else
    build_missing_tools "$@"
  fi
  say "all tools are in place"
}

install_debian_packages() {
  local missing=()
  [ -x "$POSTGRES_BIN/postgres" ] || missing+=(postgresql-15)
  command -v redis-server >/dev/null || missing+=(redis-server)
  [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || missing+=(nginx)
  command -v curl >/dev/null || missing+=(curl ca-certificates)
  command -v git >/dev/null || missing+=(git)
  command -v docker-compose >/dev/null || missing+=(docker-compose)
  command -v gcc >/dev/null || missing+=(gcc libc6-dev)
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || die "missing Debian packages: ${missing[*]}; install them with apt-get as root"

  say "apt-get install ${missing[*]}"
  keep_services_stopped
  apt_install "${missing[@]}" || {
    apt-get update -qq && apt_install "${missing[@]}"
  } || die "cannot install the Debian packages: ${missing[*]}"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install -y -qq --no-install-recommends "$@" >&2
}

# Packages start their daemon when they are installed, on its well-known port; tests start their own.
keep_services_stopped() {
  local policy=/usr/sbin/policy-rc.d
  [ -e "$policy" ] && return
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
}

# Two builds at once: the longest in front, the short ones beside it.
build_missing_tools() {
  local running=0 failed=0 tool
  for tool in "$@"; do
    is_installed "$tool" && continue
    command -v go >/dev/null || die "missing tool: go (1.26 or newer), needed to build $tool"
    if [ "$running" -eq 2 ]; then
      wait -n || failed=1
      running=$((running - 1))
    fi
    build "$tool" &
    running=$((running + 1))
  done
  while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
  done
  [ "$failed" -eq 0 ] || die "some tools are missing, see above"
}

is_installed() { [ -x "$(binary_of "$1")" ]; }

binary_of() {
  case $1 in
    nats_server) echo "$NATS_SERVER" ;;
    versitygw) echo "$VERSITYGW" ;;
    gitea_runner) echo "$GITEA_RUNNER" ;;
    gitea) echo "$GITEA" ;;
  esac
}

# Builds in a folder beside the final place and moves it there whole: an interrupted build leaves no half tool.
build() {
  local tool=$1 started=$SECONDS binary place name staging log status
  binary=$(binary_of "$tool")
  place=$(dirname "$binary")
  name=$(basename "$place")
  staging="$TRIPHAMMER_TOOLS/.building-$name"
  log="$TRIPHAMMER_TOOLS/$name.log"
  rm -rf "$staging" "$place"
  mkdir -p "$staging/module"
  say "building $name"
  # Not inside an `if`: bash would ignore errexit in there.
  set +e
  (
    set -e
    cd "$staging/module"
    "build_$tool" "$staging/$(basename "$binary")" "$staging"
  ) >"$log" 2>&1
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    tail -n 20 "$log" >&2
    die "missing tool: $name could not be built, log in $log"
  fi
  rm -rf "$staging/module"
  mv -T "$staging" "$place"
  say "built $name in $((SECONDS - started)) s"
}

build_nats_server() { build_module github.com/nats-io/nats-server/v2 "$NATS_VERSION" github.com/nats-io/nats-server/v2 "$1"; }

build_versitygw() { build_module github.com/versity/versitygw "$VERSITYGW_VERSION" github.com/versity/versitygw/cmd/versitygw "$1"; }

build_gitea_runner() { build_module gitea.com/gitea/runner "$GITEA_RUNNER_VERSION" gitea.com/gitea/runner "$1"; }

# The pages' built front end is not part of the module; API, git over http, Actions and packages work without it.
build_gitea() {
  local binary=$1 place=$2 source folder
  source=$(go mod download -json "code.gitea.io/gitea@$GITEA_VERSION" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  test -n "$source"
  replaced_in=$source/go.mod build_module code.gitea.io/gitea "$GITEA_VERSION" code.gitea.io/gitea "$binary" \
    -tags 'sqlite sqlite_unlock_notify' -ldflags "-X main.Version=${GITEA_VERSION#v}"
  for folder in templates options public; do
    mkdir -p "$place/static"
    cp -r --no-preserve=mode "$source/$folder" "$place/static/$folder"
  done
}

# A module of our own that requires theirs, because `go install module@version` asks the proxy for a list of versions that it may not have,
# and ignores replace lines, which Go reads from the main module alone.
build_module() {
  local module=$1 version=$2 package=$3 binary=$4
  shift 4
  printf 'module triphammer.local/tool\n\ngo 1.26\n\nrequire %s %s\n' "$module" "$version" >go.mod
  [ -z "${replaced_in:-}" ] || awk '/^replace \(/ { block = 1 } block || /^replace / { print } block && /^\)/ { block = 0 }' "$replaced_in" >>go.mod
  go build -mod=mod -buildvcs=false -o "$binary" "$@" "$package"
}

main "$@"
