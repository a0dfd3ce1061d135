import { join } from 'node:path';

const GATEWAY = join(__dirname, '../../deploy/gateway');

/** The services that the gateway's locations name. */
export const UPSTREAMS = ['event_ingest', 'task_dispatcher', 'log_archiver', 'console'] as const;

export interface GatewayTopology {
  readonly port: number;
  /** Of the processes of each service: `127.0.0.1:4001`. */
  readonly upstreams: Readonly<Record<(typeof UPSTREAMS)[number], readonly string[]>>;
  /** Taken off the path, as in `PUBLIC_URL`: `/ci`. */
  readonly pathPrefix?: string;
}

/**
 * An nginx.conf for a topology on this machine, with the shipped settings and locations. Run it in a folder of its own
 * (`nginx -p FOLDER -c FOLDER/nginx.conf`): pid and logs lie there.
 */
export function renderGatewayConfig({ port, upstreams, pathPrefix }: GatewayTopology): string {
  return `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 4096; }
http {
  client_body_temp_path client-body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include ${GATEWAY}/settings.conf;
${UPSTREAMS.map((name) => renderUpstream(name, upstreams[name])).join('\n')}
  access_log access.log gateway if=$is_logged;
  server {
    listen 127.0.0.1:${port};
    ${pathPrefix === undefined ? '' : `rewrite ^${pathPrefix}(/.*)$ $1;`}
    include ${GATEWAY}/locations.conf;
    include ${GATEWAY}/api-locations.conf;
  }
}
`.trimStart();
}

function renderUpstream(name: string, addresses: readonly string[]): string {
  return `  upstream ${name} { ${addresses.map((address) => `server ${address} fail_timeout=2s;`).join(' ')} keepalive 256; }`;
}
