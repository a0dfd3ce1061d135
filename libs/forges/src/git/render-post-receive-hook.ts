export interface PostReceiveHook {
  /** The connection's webhook address. */
  readonly url: string;
  /** The webhook secret; it stands in the script, which only whoever runs git may read. */
  readonly secret: string;
  /** Folder that holds the repositories, where it is known; a repository is named by its path below it. */
  readonly repositoryRoot: string | null;
}

/**
 * The `post-receive` hook that tells us of pushes to a plain git server. It needs sh, git, curl, openssl and od, posts what
 * `readPostReceive` reads, and never makes a push fail: what goes wrong is a warning to whoever pushed.
 */
export function renderPostReceiveHook({ url, secret, repositoryRoot }: PostReceiveHook): string {
  return SCRIPT.replace('@URL@', () => quote(url))
    .replace('@SECRET@', () => quote(secret))
    .replace('@ROOT@', () => quote(repositoryRoot ?? ''));
}

/** A text as one word of a shell script. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// The secret is no argument of openssl, because every user of the server can see those: HMAC (RFC 2104) is put together from
// two plain digests. Texts go through `text`, which leaves out control characters; the message, which may be anything, is base64.
const SCRIPT = `#!/bin/sh
# Tells Triphammer of every branch and tag that was pushed, and never makes a push fail. It holds a secret.
# Install it as hooks/post-receive of a bare repository, with mode 0700, for the user that git runs as.
# A repository that does not lie below the folder "root" needs its name once:
#   git config triphammer.repository team/app.git
url=@URL@
secret=@SECRET@
root=@ROOT@
LC_ALL=C
export LC_ALL

main() {
  for tool in curl openssl od; do
    command -v "$tool" >/dev/null || leave "$tool is missing on the git server"
  done
  pusher=\${GL_USERNAME:-\${GL_USER:-\${REMOTE_USER:-$(id -un)}}}
  repository=$(git config --get triphammer.repository) || repository=$(path_below_root)
  [ -n "$repository" ] || leave 'name this repository once, with: git config triphammer.repository team/app.git'
  while read -r before after ref; do
    case $ref in
      refs/heads/* | refs/tags/*) ;;
      *) continue ;;
    esac
    answer=$(post) && continue
    status=$?
    warn "no CI run for $ref: $answer"
    # Where there was no answer to this one, the next would only wait as long.
    [ "$status" -eq 22 ] || break
  done
}

warn() { printf 'triphammer: %s\\n' "$*" >&2; }

leave() {
  warn "no CI run: $*"
  exit 0
}

path_below_root() {
  [ -n "$root" ] || return
  physical=$(cd "$root" && pwd -P) || return
  folder=$(git rev-parse --absolute-git-dir)
  case $folder in
    "$physical"/*) printf %s "\${folder#"$physical"/}" ;;
  esac
}

post() {
  json=$(body)
  printf %s "$json" | curl --silent --show-error --fail --output /dev/null --connect-timeout 5 --max-time 15 \\
    -H 'Content-Type: application/json' -H "X-Triphammer-Signature: sha256=$(sign "$json")" --data-binary @- "$url" 2>&1
}

body() {
  printf '{"delivery":"%s","repository":%s,"default_branch":%s,"pusher":%s,' "$(openssl rand -hex 16)" \\
    "$(text "$repository")" "$(text "$(git symbolic-ref --short HEAD)")" "$(text "$pusher")"
  printf '"ref":%s,"before":"%s","after":"%s","head_commit":%s}' "$(text "$ref")" "$before" "$after" "$(head_commit)"
}

head_commit() {
  commit=$(git rev-parse --quiet --verify "$after^{commit}" 2>/dev/null) || {
    printf null
    return
  }
  message=$(git log -1 --format=format:%B --encoding=UTF-8 "$commit" | head -c 65536 | openssl base64 -A)
  printf '{"id":"%s","message_base64":"%s"}' "$commit" "$message"
}

text() { printf '"%s"' "$(printf %s "$1" | tr -d '\\000-\\037\\177' | sed 's/[\\\\"]/\\\\&/g')"; }

sign() {
  { pad 92; { pad 54; printf %s "$1"; } | openssl dgst -sha256 -binary; } | openssl dgst -sha256 | sed 's/^.*[= ]//'
}

# The 64 bytes of the secret, filled up with zeros, each xor $1.
pad() {
  mask=$1
  set -- $(printf %s "$secret" | od -An -v -tu1)
  count=0
  while [ "$count" -lt 64 ]; do
    byte=$(( \${1:-0} ^ mask ))
    printf %b "\\\\0$(( byte / 64 ))$(( byte / 8 % 8 ))$(( byte % 8 ))"
    [ $# -eq 0 ] || shift
    count=$(( count + 1 ))
  done
}

main
exit 0
`;
