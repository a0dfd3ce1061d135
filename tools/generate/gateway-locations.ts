/** A feature's routes, and the gateway's upstream that serves them. */
export interface RoutedFeature {
  readonly upstream: string;
  readonly routes: readonly { readonly path: string; readonly contentType?: string }[];
}

interface Location {
  readonly path: string;
  readonly upstream: string;
  readonly isLive: boolean;
}

/** `deploy/gateway/api-locations.conf`: a location for each path of `/api/v1`. Throws when two features serve one path. */
export function renderGatewayLocations(features: readonly RoutedFeature[]): string {
  return [
    '# Made from the route tables of the features by `npm run generate`.',
    '',
    'location ^~ /api/v1/ {',
    '    default_type application/json;',
    '    error_page 502 503 504 =503 @api_unavailable;',
    '',
    ...locationsOf(features).map(renderLocation),
    '',
    String.raw`    return 404 '{"message":"There is no such path in this version of the API."}\n';`,
    '}',
    '',
    'location @api_unavailable {',
    '    default_type application/json;',
    '    add_header Retry-After 2 always;',
    '    add_header X-Request-Id $request_token always;',
    String.raw`    return 503 '{"message":"This part of Triphammer is not available at the moment. Try again in a few seconds."}\n';`,
    '}',
    '',
  ].join('\n');
}

/** Without doubles, and a literal segment before a parameter in its place: nginx takes the first pattern that matches. */
function locationsOf(features: readonly RoutedFeature[]): readonly Location[] {
  const byShape = new Map<string, Location>();
  for (const { upstream, routes } of features) {
    for (const { path, contentType = '' } of routes) {
      const shape = path.replaceAll(/\{\w+\}/g, '{}');
      const known = byShape.get(shape);
      if (known && known.upstream !== upstream) throw new Error(`${known.upstream} and ${upstream} both serve ${path}; the gateway can send it to one only`);
      byShape.set(shape, { path, upstream, isLive: known?.isLive === true || contentType.startsWith('text/event-stream') });
    }
  }
  // "~" is behind every character that a path has.
  const orderOf = ({ path }: Location) => path.replaceAll(/\{\w+\}/g, '~');
  return [...byShape.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function renderLocation({ path, upstream, isLive }: Location): string {
  const pattern = path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+');
  // A live stream may be silent for as long as its job.
  const patience = isLive ? 'proxy_read_timeout 1h; ' : '';
  return `    location ~ ^/api/v1${pattern}$ { ${patience}proxy_pass http://${upstream}$request_uri; }`;
}
