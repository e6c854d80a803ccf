/** Groups the ranks by name with a counting sort: two passes over the pairs of name and rank, without lists. */

export interface RanksByName {
  /** The start of each name's ranks and, last, the number of ranks. */
  readonly rankStarts: Uint32Array;
  /** The ranks of each name, in the order of the pairs. */
  readonly ranks: Uint32Array;
}

/** `eachPair` must visit the same pairs in the same order on each call. */
export function listRanksByName(
  nameCount: number,
  eachPair: (visit: (name: number, rank: number) => void) => void,
): RanksByName {
  const rankStarts = new Uint32Array(nameCount + 1);
  eachPair((name) => {
    rankStarts[name + 1] = (rankStarts[name + 1] as number) + 1;
  });
  for (let name = 0; name < nameCount; name++) {
    rankStarts[name + 1] = (rankStarts[name + 1] as number) + (rankStarts[name] as number);
  }
  const ranks = new Uint32Array(rankStarts[nameCount] as number);
  const next = rankStarts.slice();
  eachPair((name, rank) => {
    ranks[next[name] as number] = rank;
    next[name] = (next[name] as number) + 1;
  });
  return { rankStarts, ranks };
}
