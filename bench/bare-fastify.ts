import fastify from 'fastify';

/**
 * What the shipped process is measured against: a Fastify that reads the body and answers bytes that it was given, with
 * the same server options and nothing else. Arguments: port, path, content type, and the bytes in base64.
 */
const [port, path = '', contentType = '', answer = ''] = process.argv.slice(2);
const bytes = Buffer.from(answer, 'base64');

const server = fastify({ keepAliveTimeout: 95_000, http: { headersTimeout: 100_000 }, requestTimeout: 0, forceCloseConnections: 'idle' });
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
server.post(path, (_request, reply) => {
  void reply.header('content-type', contentType).send(bytes);
});
void server.listen({ port: Number(port), host: '127.0.0.1' });
