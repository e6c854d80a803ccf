/** What hostile requests to any server are made of. */

export const METHODS = [
  ...['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD'],
  ...['OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'],
];

export const NOISE = [
  ...['%00', '%', '%ED%A0%80', '[]', '&', '=', '+', '1e3'],
  ...['__proto__', 'constructor', '..', '//', 'ü', '?', '#'],
];

/** Headers that are rarely sent, and whether the server must close the connection behind its answer. */
export const RARITIES = [
  ['expect: 100-continue\r\n', true],
  ['connection: upgrade\r\nupgrade: websocket\r\n', true],
  ['host: second.example\r\n', false],
  ['if-none-match: *\r\n', false],
  ['content-length: 0\r\n', false],
  ['a:\r\n'.repeat(1_000), false],
  ['connection: close\r\n', true],
];

/** The bytes of a text as UTF-8, one in each character. */
export function latin1(text) {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes that are no HTTP at all, one in each character. */
export function garbage(random) {
  const bytes = Buffer.alloc(1 + Math.floor(random() * 2_000));
  for (let at = 0; at < bytes.length; at++) bytes[at] = random() * 256;
  return bytes.toString('latin1');
}
