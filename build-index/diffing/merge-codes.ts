/** Merges the postal codes of one country in two snapshots; both lists of codes are sorted by bytes. */
import type { PostcodeIndex } from '../../src/format/postcode-index.js';
import type { Pair } from './matching.js';

interface CodeVisitor {
  /** The arguments are numbers of codes in the old or the new snapshot. */
  removed(before: number): void;
  added(after: number): void;
  shared(pair: Pair): void;
}

export function mergeCodes(before: PostcodeIndex, after: PostcodeIndex, visitor: CodeVisitor): void {
  let [oldCode, newCode] = [0, 0];
  while (oldCode < before.codeCount || newCode < after.codeCount) {
    const order = compareCodes(before, oldCode, after, newCode);
    if (order < 0) visitor.removed(oldCode++);
    else if (order > 0) visitor.added(newCode++);
    else visitor.shared([oldCode++, newCode++]);
  }
}

/** Negative if the old code sorts first. The end of a list sorts after every code of the other list. */
function compareCodes(before: PostcodeIndex, oldCode: number, after: PostcodeIndex, newCode: number): number {
  if (oldCode === before.codeCount) return 1;
  if (newCode === after.codeCount) return -1;
  return Buffer.compare(codeBytes(before, oldCode), codeBytes(after, newCode));
}

function codeBytes({ codeText, codeOffsets }: PostcodeIndex, code: number): Uint8Array {
  return codeText.subarray(codeOffsets[code], codeOffsets[code + 1]);
}
