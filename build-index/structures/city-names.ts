/** Sorts the names of big cities for searches with a typing error in the first letters. */
import { LEADING_LETTERS, type NameIndex, OTHER_NAME } from '../../src/format/name-index.js';

type RankedNames = Pick<NameIndex, 'rankStarts' | 'ranks' | 'cityEnds'> & { readonly names: readonly string[] };

/** `cityNames` of src/format/name-index.ts. */
export function sortCityNames({ names, rankStarts, ranks, cityEnds }: RankedNames): Uint32Array {
  const bigEnd = cityEnds[0] as number;
  const tails = new Map<number, string>();
  names.forEach((name, number) => {
    if (name.length <= LEADING_LETTERS) return;
    const ofName = ranks.subarray(rankStarts[number], rankStarts[number + 1]);
    if (ofName.some((rank) => (rank & ~OTHER_NAME) < bigEnd)) tails.set(number, name.slice(LEADING_LETTERS));
  });
  return Uint32Array.from(
    [...tails].sort(([a, tailA], [b, tailB]) => (tailA === tailB ? a - b : tailA < tailB ? -1 : 1)),
    ([number]) => number,
  );
}
