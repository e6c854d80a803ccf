/** Tells what kind of file somebody gave in place of a snapshot, from the bytes at its start. */

/** The first bytes of binary files, as latin1. */
const SIGNATURES: readonly (readonly [start: string, kind: string])[] = [
  ['\x89PNG', 'a PNG image'],
  ['PK', 'a ZIP archive'],
  ['\x1f\x8b', 'gzip'],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what has them is no text
const CONTROL_CHARACTERS = /[\x00-\x08\x0b\x0e-\x1f\x7f]/;

/** Completes "found …". */
export function describeFileKind(start: Uint8Array): string {
  if (start.length === 0) return 'an empty file';
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.length).toString('latin1', 0, 4);
  const signature = SIGNATURES.find(([first]) => bytes.startsWith(first));
  if (signature !== undefined) return signature[1];
  const text = decodeText(start)?.trimStart();
  if (text === undefined) return 'an unknown kind of file';
  if (/^<(?:!doctype html|html)\b/i.test(text)) return 'an HTML page';
  return /^[[{]/.test(text) ? 'JSON text' : 'text';
}

/** Undefined for what is no text in UTF-8. The last character may be cut. */
function decodeText(start: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return CONTROL_CHARACTERS.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
