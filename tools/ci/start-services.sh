#!/usr/bin/env bash
# Starts the servers that `npm run test:servers` needs: Postgres 15, NATS with JetStream, Redis and an S3 gateway, each on a free port of
# 127.0.0.1 with its data, log and pid file below <dir>. Returns when all of them answer; their addresses stand in <dir>/env as export lines.
#
# Usage: tools/ci/start-services.sh <dir> && . <dir>/env        (stop them with tools/ci/stop-services.sh <dir>)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=tools.sh
. "$here/tools.sh"
# Postgres does not start with a locale that the machine lacks.
export LC_ALL=C

say() { printf 'start-services: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

main() {
  [ $# -eq 1 ] || die "usage: start-services.sh <dir>"
  mkdir -p "$1"
  dir=$(cd "$1" && pwd -P)
  require_tools
  [ ! -e "$dir/env" ] || die "the services of $dir were started before; stop them with tools/ci/stop-services.sh $dir"
  [ ${#dir} -le 80 ] || die "$dir is too long a path for a Unix socket"
  trap '[ $? -eq 0 ] || "$here/stop-services.sh" "$dir"' EXIT
  pick_ports

  start_postgres
  start_nats
  start_redis
  start_s3
  await postgres
  await nats
  await redis
  await s3
  write_env
  say "Postgres :$postgres_port, NATS :$nats_port, Redis :$redis_port, S3 :$s3_port"
}

require_tools() {
  local tool missing=()
  for tool in "$POSTGRES_BIN/postgres" redis-server redis-cli curl "$NATS_SERVER" "$VERSITYGW"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [ ${#missing[@]} -eq 0 ] || die "missing tools: ${missing[*]}; run tools/ci/install-tools.sh"
}

# Below the range from which the kernel gives ports to outgoing connections.
pick_ports() {
  local port free=()
  for port in $(shuf -i 20000-29999 -n 100); do
    is_taken "$port" || free+=("$port")
    [ ${#free[@]} -lt 4 ] || break
  done
  postgres_port=${free[0]} nats_port=${free[1]} redis_port=${free[2]} s3_port=${free[3]}
}

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Postgres refuses to run as root; the user that it runs as instead must be able to reach its folder.
start_postgres() {
  local data=$dir/postgres/data as_user=()
  mkdir -p "$dir/postgres"
  if [ "$(id -u)" -eq 0 ]; then
    as_user=(setpriv --reuid=postgres --regid=postgres --init-groups)
    chmod a+rx "$dir"
    chown postgres "$dir/postgres"
    "${as_user[@]}" test -x "$dir" || die "the user postgres cannot reach $dir; choose a folder that is not below a private one"
  fi
  [ -e "$data/PG_VERSION" ] || (
    cd "$dir/postgres"
    "${as_user[@]}" "$POSTGRES_BIN/initdb" --pgdata="$data" --username=postgres --auth=trust --locale=C --encoding=UTF8 --no-sync
  ) >"$dir/initdb.log" 2>&1 || die "initdb failed: $(tail -n 3 "$dir/initdb.log")"
  # What tests write need not survive a crash.
  launch postgres "${as_user[@]}" "$POSTGRES_BIN/postgres" -D "$data" -p "$postgres_port" -k "$dir/postgres" \
    -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off -c synchronous_commit=off -c full_page_writes=off
}

start_nats() {
  launch nats "$NATS_SERVER" --addr 127.0.0.1 --port "$nats_port" --jetstream --store_dir "$dir/nats"
}

start_redis() {
  launch redis redis-server --bind 127.0.0.1 --port "$redis_port" --dir "$dir/redis" --save '' --appendonly no
}

# Metadata has a folder of its own, because not every filesystem keeps extended attributes.
start_s3() {
  mkdir -p "$dir/s3/objects" "$dir/s3/metadata"
  launch s3 env ROOT_ACCESS_KEY=test-access-key ROOT_SECRET_KEY=test-secret-key "$VERSITYGW" --port "127.0.0.1:$s3_port" \
    --keep-alive --health /health --quiet posix --sidecar "$dir/s3/metadata" "$dir/s3/objects"
}

# The working folder below <dir> is how stop-services.sh tells our process from another that got its pid later.
launch() {
  local name=$1
  shift
  mkdir -p "$dir/$name"
  (cd "$dir/$name" && exec setsid "$@") >"$dir/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
}

await() {
  local name=$1 deadline=$((SECONDS + 60)) pid
  pid=$(cat "$dir/$name.pid")
  until "${name}_answers" >/dev/null 2>&1; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$dir/$name.log" >&2
      die "$name does not answer"
    fi
    sleep 0.1
  done
}

postgres_answers() { "$POSTGRES_BIN/pg_isready" -h 127.0.0.1 -p "$postgres_port"; }

nats_answers() (
  exec 3<>"/dev/tcp/127.0.0.1/$nats_port"
  read -r -t 2 greeting <&3
  [[ $greeting == *'"jetstream":true'* ]]
)

redis_answers() { [ "$(redis-cli -p "$redis_port" ping)" = PONG ]; }

s3_answers() { curl --fail --silent --noproxy '*' "http://127.0.0.1:$s3_port/health"; }

write_env() {
  cat >"$dir/env.new" <<END
export TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:$postgres_port/postgres
export TEST_NATS_URL=nats://127.0.0.1:$nats_port
export TEST_REDIS_URL=redis://127.0.0.1:$redis_port
export TEST_S3_URL=http://127.0.0.1:$s3_port
export TEST_S3_ACCESS_KEY=test-access-key
export TEST_S3_SECRET_KEY=test-secret-key
END
  mv "$dir/env.new" "$dir/env"
}

main "$@"
