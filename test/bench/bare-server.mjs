/**
 * The peer of bench:http: node:http with nothing on it. It answers each target with the status, the headers and the bytes
 * that the real server gave for it, all from constants; no key is looked at and no path is taken apart. Its argument is a
 * file of JSON lines, each a target, a status, a flat list of headers, and a body in base64; the first line it prints tells
 * its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const answers = new Map();
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (line === '') continue;
  const { target, status, headers, body } = JSON.parse(line);
  answers.set(target, { status, headers, body: Buffer.from(body, 'base64') });
}

const server = createServer((request, response) => {
  const { status, headers, body } = answers.get(request.url);
  response.writeHead(status, headers);
  response.end(body);
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
