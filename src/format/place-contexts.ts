/**
 * The context of the places of one country, as people add it to a name: "springfield il", "paris texas", "cambridge
 * england". The country and each admin unit have a text of lines: folded names (see fold-text.ts), and codes after "=".
 *
 *   units       u32[u]    the places that are admin units, ascending
 *   textStarts  u32[u+2]  start of each text: first the country's, then each unit's
 *   text        u8[]      the texts; each line ends in a line feed
 *
 * Worked example, Illinois in the United States: "united states\n=us\n=usa\n" and "illinois\n=il\n".
 */
import { type Bundle, checkEnd, checkLength, decodeBundle } from './array-bundle.js';

export const PLACE_CONTEXTS_SCHEMA = { units: 'u32', textStarts: 'u32', text: 'u8' } as const;

export const LINE_END = 0x0a;
export const CODE_MARK = 0x3d;

export type PlaceContexts = Bundle<typeof PLACE_CONTEXTS_SCHEMA>;

export function decodePlaceContexts(bytes: Uint8Array, where: string): PlaceContexts {
  const contexts = decodeBundle(PLACE_CONTEXTS_SCHEMA, bytes, where);
  checkLength(`${where}.textStarts`, contexts.textStarts, contexts.units.length + 2);
  checkEnd(`${where}.textStarts`, contexts.textStarts, contexts.text.length);
  return contexts;
}

/** The text of a context; `names` are folded, `codes` are not. */
export function contextText(names: Iterable<string>, codes: Iterable<string>): string {
  let text = '';
  for (const name of new Set(names)) text += `${name}\n`;
  for (const code of new Set(codes)) text += `=${code.toLowerCase()}\n`;
  return text;
}
