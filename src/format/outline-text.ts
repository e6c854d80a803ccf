/**
 * The text of a ring in data/outlines.tsv: Google's encoded polyline, with three decimals (110 m) and longitude first.
 * Each number is the difference to the one before, its sign in the lowest bit, in groups of five bits from the lowest,
 * each group plus 63 as a character, plus 32 where another group follows: all printable, and none a space or tab. The
 * last point, which is the first again, is left out. [[0, 0], [0.001, 0], [0, -0.001], [0, 0]] is "??A?@@".
 */

/** Units per degree. */
const UNITS = 1000;
const FIRST_CHARACTER = 63;
const GROUP_BITS = 5;
const MORE = 1 << GROUP_BITS;
/** Groups of the largest number: 720,000 units with a sign, 21 bits. In a damaged file a number could be endless. */
const MAX_GROUPS = 5;

/** Points in degrees; the last is the first. */
export function encodeRing(ring: readonly (readonly [longitude: number, latitude: number])[]): string {
  let [text, x, y] = ['', 0, 0];
  for (const [longitude, latitude] of ring.slice(0, -1)) {
    const [nextX, nextY] = [Math.round(longitude * UNITS), Math.round(latitude * UNITS)];
    if (text !== '' && nextX === x && nextY === y) continue;
    text += encodeNumber(nextX - x) + encodeNumber(nextY - y);
    [x, y] = [nextX, nextY];
  }
  return text;
}

function encodeNumber(value: number): string {
  let bits = value < 0 ? ~(value << 1) : value << 1;
  let text = '';
  for (; bits >= MORE; bits >>= GROUP_BITS) text += String.fromCharCode((MORE | (bits & (MORE - 1))) + FIRST_CHARACTER);
  return text + String.fromCharCode(bits + FIRST_CHARACTER);
}

/** Longitude and latitude of each point in degrees, one after the other. Throws an Error for what is no such text. */
export function decodeRing(text: string): Float64Array {
  const numbers: number[] = [];
  let [bits, groups] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const group = text.charCodeAt(at) - FIRST_CHARACTER;
    if (group < 0 || group >= 2 * MORE || groups === MAX_GROUPS) throw new Error(`no outline: ${text.slice(0, 40)}`);
    bits |= (group & (MORE - 1)) << (GROUP_BITS * groups++);
    if (group >= MORE) continue;
    const difference = bits & 1 ? ~(bits >> 1) : bits >> 1;
    numbers.push(difference + (numbers[numbers.length - 2] ?? 0));
    [bits, groups] = [0, 0];
  }
  if (groups > 0 || numbers.length % 2 !== 0) throw new Error(`no outline: ${text.slice(0, 40)}`);
  return Float64Array.from(numbers, (value) => value / UNITS);
}
