#!/usr/bin/env bash
# Stops what start-services.sh started in <dir>. The data and the logs stay there; a second call does nothing.
#
# Usage: tools/ci/stop-services.sh <dir>
set -euo pipefail

main() {
  if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: stop-services.sh <dir>, the folder that start-services.sh was given" >&2
    exit 1
  fi
  dir=$(cd "$1" && pwd -P)
  rm -f "$dir/env"
  stop s3 TERM
  stop redis TERM
  stop nats TERM
  # At TERM Postgres waits for its clients to leave, at INT it sends them away.
  stop postgres INT
}

stop() {
  local name=$1 signal=$2 pid tries=100
  [ -e "$dir/$name.pid" ] || return 0
  pid=$(cat "$dir/$name.pid")
  if is_ours "$pid"; then
    kill -s "$signal" "$pid"
    while is_ours "$pid" && [ "$tries" -gt 0 ]; do
      tries=$((tries - 1))
      sleep 0.1
    done
    if is_ours "$pid"; then
      echo "stop-services: $name ignored $signal for 10 s, killing it" >&2
      kill -s KILL "$pid"
    fi
  fi
  rm -f "$dir/$name.pid"
}

is_ours() {
  case $(readlink "/proc/$1/cwd" 2>/dev/null) in
    "$dir"/*) return 0 ;;
    *) return 1 ;;
  esac
}

main "$@"
