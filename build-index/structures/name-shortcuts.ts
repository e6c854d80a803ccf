/** The parts of a name index that only serve speed: the ranks of entries, and sampled prefixes. */
import { CITY_SAMPLE_STEP, isOtherAt, LEADING_LETTERS, type NameIndex, NO_RANK } from '../../src/format/name-index.js';
import { prefixArrayLength, prefixWord, SAMPLE_STEP } from '../../src/format/sampled-prefixes.js';

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

/** `namePrefixes`, `entryPrefixes` and `cityPrefixes` of src/format/name-index.ts. */
export function findHeads({
  names,
  entryNames,
  entryOffsets,
  cityNames,
}: Entries & Pick<NameIndex, 'cityNames'>): Pick<NameIndex, 'namePrefixes' | 'entryPrefixes' | 'cityPrefixes'> {
  return {
    namePrefixes: prefixesOf(names.length, names, (name) => name, 0, SAMPLE_STEP),
    entryPrefixes: prefixesOf(
      entryNames.length,
      names,
      (entry) => entryNames[entry] as number,
      entryOffsets,
      SAMPLE_STEP,
    ),
    cityPrefixes: prefixesOf(
      cityNames.length,
      names,
      (city) => cityNames[city] as number,
      LEADING_LETTERS,
      CITY_SAMPLE_STEP,
    ),
  };
}

/** The sampled prefixes of texts, each of which is a name from an offset on. */
function prefixesOf(
  count: number,
  names: readonly string[],
  nameOf: (text: number) => number,
  offsets: number | Uint8Array,
  step: number,
): Uint32Array {
  const prefixes = new Uint32Array(prefixArrayLength(count, step));
  for (let index = 0; index * step < count; index++) {
    const text = index * step;
    const name = names[nameOf(text)] ?? '';
    const offset = typeof offsets === 'number' ? offsets : (offsets[text] as number);
    const byteAt = (at: number): number => (offset + at < name.length ? name.charCodeAt(offset + at) : 0);
    prefixes[index * 2] = prefixWord(byteAt, 0);
    prefixes[index * 2 + 1] = prefixWord(byteAt, 4);
  }
  return prefixes;
}
