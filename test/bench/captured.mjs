/** Answers that a server has given, for a bare one to send again (bare-server.mjs). */
import { writeFileSync } from 'node:fs';

/** Headers that node writes by itself. */
const OF_NODE = ['date', 'connection', 'keep-alive'];

/** The answer to a target as the bare server wants it; `get` is that of server-process.mjs. */
export async function captureAnswer(get, target, headers = {}) {
  const { status, rawHeaders, body } = await get(target, headers);
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : []));
  return {
    target,
    status,
    headers: pairs.filter(([name]) => !OF_NODE.includes(name.toLowerCase())).flat(),
    body,
  };
}

export function writeCaptured(file, answers) {
  const lines = answers.map((answer) => JSON.stringify({ ...answer, body: answer.body.toString('base64') }));
  writeFileSync(file, lines.join('\n'));
}

export function headerOf({ headers }, name) {
  return headers[headers.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name) + 1];
}
