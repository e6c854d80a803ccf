/** What a prefix index has for the sake of speed alone: ranks beside entries, and heads of what is searched. */
import { CITY_HEAD_STEP, isOtherAt, LETTERS_OF_HEAD, type NameIndex, NO_RANK } from '../../src/format/name-index.js';
import { HEAD_STEP, headsLengthFor, headWord } from '../../src/format/text-heads.js';

type Entries = Pick<NameIndex, 'entryNames' | 'entryOffsets'> & { readonly names: readonly string[] };

/** `entryRanks` of src/format/name-index.ts. */
export function findEntryRanks({
  entryNames,
  rankStarts,
  ranks,
}: Pick<NameIndex, 'entryNames' | 'rankStarts' | 'ranks'>): Uint32Array {
  return entryNames.map((name) => {
    const start = rankStarts[name] as number;
    const isOnly = rankStarts[name + 1] === start + 1 && !isOtherAt({ ranks }, start);
    return isOnly ? (ranks[start] as number) : NO_RANK;
  });
}

/** `nameHeads`, `entryHeads` and `cityHeads` of src/format/name-index.ts. */
export function findHeads({
  names,
  entryNames,
  entryOffsets,
  cityNames,
}: Entries & Pick<NameIndex, 'cityNames'>): Pick<NameIndex, 'nameHeads' | 'entryHeads' | 'cityHeads'> {
  return {
    nameHeads: headsOf(names.length, names, (name) => name, 0, HEAD_STEP),
    entryHeads: headsOf(entryNames.length, names, (entry) => entryNames[entry] as number, entryOffsets, HEAD_STEP),
    cityHeads: headsOf(cityNames.length, names, (city) => cityNames[city] as number, LETTERS_OF_HEAD, CITY_HEAD_STEP),
  };
}

/** Of texts that are each a name from an offset on. */
function headsOf(
  count: number,
  names: readonly string[],
  nameOf: (text: number) => number,
  offsets: number | Uint8Array,
  step: number,
): Uint32Array {
  const heads = new Uint32Array(headsLengthFor(count, step));
  for (let head = 0; head * step < count; head++) {
    const text = head * step;
    const name = names[nameOf(text)] ?? '';
    const offset = typeof offsets === 'number' ? offsets : (offsets[text] as number);
    const byteAt = (at: number): number => (offset + at < name.length ? name.charCodeAt(offset + at) : 0);
    heads[head * 2] = headWord(byteAt, 0);
    heads[head * 2 + 1] = headWord(byteAt, 4);
  }
  return heads;
}
