/** The start of each part in the concatenation of parts with these lengths, and the end of the last part. */
export function startsOf(lengths: ArrayLike<number>): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (let at = 0; at < lengths.length; at++) starts[at + 1] = (starts[at] as number) + (lengths[at] as number);
  return starts;
}
