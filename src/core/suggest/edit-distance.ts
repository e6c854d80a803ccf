/**
 * The edit distance between a query and many sorted texts: the optimal string alignment distance (insertions, deletions,
 * replacements and swaps of neighbours cost 1), limited to MAX_EDITS. Edits of digits are not allowed. Two whole texts are
 * compared by isWithinEdits.
 */

const [ZERO, NINE] = [0x30, 0x39];

/** Whether a byte of folded text is a digit. */
export function isDigitByte(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Maximum edit distance of findMistypedEntries: more edits would turn most names into other names. */
export const MAX_EDITS = 2;
/** Stands for every distance greater than MAX_EDITS. */
const FAR = MAX_EDITS + 1;

/**
 * The matrix of edit distances. Row n holds the distances between the first n bytes of a text and each start of the
 * query, in the columns n - MAX_EDITS to n + MAX_EDITS; all other distances are greater than MAX_EDITS.
 */
export class DistanceRows {
  /** The least distance between the query and any start of the last compared text. */
  nearest = FAR;
  /** The distance between the query and the whole last compared text. */
  whole = FAR;
  /** Whether the bytes of the last compared text that were not read cannot reduce its distance. */
  isOver = false;
  readonly #typed: Uint8Array;
  readonly #width: number;
  /** Maximum length in bytes of a start that can be near. */
  readonly #depth: number;
  readonly #rows: Uint8Array;
  /** For each row the least distance between the whole query and a start of the text up to that row. */
  readonly #nearest: Uint8Array;
  /** For each row the least distance in it. */
  readonly #least: Uint8Array;
  readonly #last: Uint8Array;
  /** The number of rows that hold the distances of the last compared text. */
  #known = 0;

  constructor(typed: Uint8Array) {
    this.#typed = typed;
    this.#width = typed.length + 1;
    this.#depth = typed.length + MAX_EDITS;
    this.#rows = new Uint8Array((this.#depth + 1) * this.#width).fill(FAR);
    this.#nearest = new Uint8Array(this.#depth + 1).fill(FAR);
    this.#least = new Uint8Array(this.#depth + 1);
    this.#last = new Uint8Array(this.#depth);
    this.#rows[0] = 0;
    for (let column = 1; column <= MAX_EDITS; column++) {
      this.#rows[column] = Math.min((this.#rows[column - 1] as number) + costOf(typed[column - 1] as number), FAR);
    }
  }

  /** Compares the bytes from `start` up to but not including `end`. Returns the number of bytes that it read. */
  compare(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const depth = Math.min(length, this.#depth);
    let row = 0;
    while (row < this.#known && row < depth && this.#last[row] === bytes[start + row]) row++;
    // After two rows of far distances no later row is near: a swap reads two rows back at most.
    while (row < depth && !this.#isFar(row)) {
      this.#last[row] = bytes[start + row] as number;
      this.#fill(++row);
    }
    this.#known = row;
    this.isOver = this.#isFar(row);
    this.nearest = this.#nearest[row] as number;
    this.whole = row === length ? (this.#rows[(row + 1) * this.#width - 1] as number) : FAR;
    return row;
  }

  #isFar(row: number): boolean {
    return row > 0 && this.#least[row] === FAR && this.#least[row - 1] === FAR;
  }

  #fill(row: number): void {
    const [rows, width, typed, last] = [this.#rows, this.#width, this.#typed, this.#last];
    const [above, here] = [(row - 1) * width, row * width];
    const byte = last[row - 1] as number;
    const cost = costOf(byte);
    let least = Math.min((rows[above] as number) + cost, FAR);
    rows[here] = least;
    const lastColumn = Math.min(width - 1, row + MAX_EDITS);
    for (let column = Math.max(1, row - MAX_EDITS); column <= lastColumn; column++) {
      const other = typed[column - 1] as number;
      const otherCost = costOf(other);
      let distance = Math.min(
        (rows[above + column] as number) + cost,
        (rows[here + column - 1] as number) + otherCost,
        (rows[above + column - 1] as number) + (byte === other ? 0 : Math.max(cost, otherCost)),
        FAR,
      );
      const isSwapped = row > 1 && column > 1 && byte === typed[column - 2] && last[row - 2] === other;
      if (isSwapped)
        distance = Math.min(distance, (rows[above - width + column - 2] as number) + Math.max(cost, otherCost));
      rows[here + column] = distance;
      least = Math.min(least, distance);
    }
    this.#least[row] = least;
    this.#nearest[row] = Math.min(this.#nearest[row - 1] as number, rows[here + width - 1] as number);
  }
}

/** The cost of an edit of a character. */
function costOf(byte: number): number {
  return isDigitByte(byte) ? FAR : 1;
}

/** Whether two texts differ in at most one character: another, one more, one less, or two neighbours that are swapped. */
export function isOneEditAway(a: string, b: string): boolean {
  return isWithinEdits(a, b, 1);
}

/** The same for `most` characters. Each further one multiplies the cost by up to four. */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA === restB) return true;
  if (most === 0) return false;
  const isNear = (skippedA: number, skippedB: number): boolean =>
    isWithinEdits(restA.slice(skippedA), restB.slice(skippedB), most - 1);
  if (isNear(1, 1) || isNear(0, 1) || isNear(1, 0)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && isNear(2, 2);
}
