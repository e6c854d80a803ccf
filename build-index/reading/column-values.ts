/** Parses the values that GeoNames' tab-separated files share: names without stray characters, and degrees. */

const WHITE_SPACE_BUT_TAB_AND_SPACE =
  '\\u000a-\\u000d\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const CONTROLS_BUT_TAB = '\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f';
const UNCLEAN_LINE = new RegExp(` \\t|\\t | {2}|[${WHITE_SPACE_BUT_TAB_AND_SPACE}${CONTROLS_BUT_TAB}]`);
const UNCLEAN_RUNS = new RegExp(`[ \\t${WHITE_SPACE_BUT_TAB_AND_SPACE}${CONTROLS_BUT_TAB}]+`, 'g');
const DECIMAL = /^[+-]?\d+(?:\.\d*)?$|^[+-]?\.\d+$/;

/** Whether no column of a line needs joinUncleanColumnRuns: one test per line instead of one per column. */
export function hasCleanColumns(line: string): boolean {
  return !UNCLEAN_LINE.test(line);
}

/** Replaces each run of white space and control characters by one space. */
export function joinUncleanColumnRuns(text: string): string {
  return text.replace(UNCLEAN_RUNS, ' ');
}

/** Decimal degrees from -`limit` to `limit`, never -0; undefined for anything else. */
export function parseDegreesColumn(text: string, limit: number): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const degrees = Number(text);
  if (!(Math.abs(degrees) <= limit)) return undefined;
  return degrees === 0 ? 0 : degrees;
}

/** Maximum length of a name, in UTF-16 units: GeoNames' own limit for names. */
export const MAX_NAME_LENGTH = 200;

/** The name of a place or a unit without stray white space and control characters. */
export function cleanNameColumn(text: string): string {
  return joinUncleanColumnRuns(text).trim();
}
