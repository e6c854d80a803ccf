/**
 * The peer of bench:http: node:http with nothing on it. It answers each target with the bytes that the real server gave,
 * as a constant buffer and with the two headers a JSON body needs; no key is looked at and no path is taken apart. Its
 * argument is a file of JSON lines, a target and its body in base64 each; the first line it prints tells its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const bodies = new Map();
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (line === '') continue;
  const { target, body } = JSON.parse(line);
  bodies.set(target, Buffer.from(body, 'base64'));
}

const server = createServer((request, response) => {
  const body = bodies.get(request.url);
  response.writeHead(200, ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)]);
  response.end(body);
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
