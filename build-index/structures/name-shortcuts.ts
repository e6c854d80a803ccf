/** Derives the parts of a prefix index that only make searches faster: ranks of entries, and sampled prefixes. */
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
export function findSampledPrefixes({
  names,
  entryNames,
  entryOffsets,
  cityNames,
}: Entries & Pick<NameIndex, 'cityNames'>): Pick<NameIndex, 'namePrefixes' | 'entryPrefixes' | 'cityPrefixes'> {
  return {
    namePrefixes: sampledPrefixesOf(names.length, names, (name) => name, 0, SAMPLE_STEP),
    entryPrefixes: sampledPrefixesOf(
      entryNames.length,
      names,
      (entry) => entryNames[entry] as number,
      entryOffsets,
      SAMPLE_STEP,
    ),
    cityPrefixes: sampledPrefixesOf(
      cityNames.length,
      names,
      (city) => cityNames[city] as number,
      LEADING_LETTERS,
      CITY_SAMPLE_STEP,
    ),
  };
}

/** The sampled prefixes of `count` texts; each text is a name from an offset on. */
function sampledPrefixesOf(
  count: number,
  names: readonly string[],
  nameOf: (text: number) => number,
  offsets: number | Uint8Array,
  step: number,
): Uint32Array {
  const heads = new Uint32Array(prefixArrayLength(count, step));
  for (let head = 0; head * step < count; head++) {
    const text = head * step;
    const name = names[nameOf(text)] ?? '';
    const offset = typeof offsets === 'number' ? offsets : (offsets[text] as number);
    const byteAt = (at: number): number => (offset + at < name.length ? name.charCodeAt(offset + at) : 0);
    heads[head * 2] = prefixWord(byteAt, 0);
    heads[head * 2 + 1] = prefixWord(byteAt, 4);
  }
  return heads;
}
