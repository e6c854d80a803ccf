/**
 * Parses one line of GeoNames' alternateNamesV2 into a name of a city, or the reason to skip the line. Ten
 * tab-separated columns (readme of download.geonames.org/export/dump): alternateNameId, geonameid, isolanguage,
 * alternate name, isPreferredName, isShortName, isColloquial, isHistoric (each "1" or empty), from, to. Files from
 * before 2018 lack the last two. Rows with the language `link`, `wkdt`, `post`, `iata`, `icao`, `faac`, `unlc`, `tcid`,
 * `phon` or `fr_1793` are skipped: nobody types these for the city today. Abbreviations (`abbr`, "NYC") and pinyin
 * (`piny`) are kept.
 */

import { hasCleanColumns, joinUncleanColumnRuns } from '../reading/column-values.js';
import { MAX_LINE_LENGTH } from '../reading/table-lines.js';
import { isCityName } from './city-row.js';

export interface AlternateName {
  readonly name: string;
  /** ISO 639 with or without a variant ("zh-Hant"), or `abbr` or `piny`; empty where the table has no language. */
  readonly language: string;
  readonly isPreferred: boolean;
  readonly isShort: boolean;
  readonly isColloquial: boolean;
  readonly isHistoric: boolean;
}

export const ALTERNATE_NAME_PROBLEM_KINDS = [
  'left out: no name, but a link or a code',
  'rejected: neither 10 nor 8 columns',
  'rejected: not valid UTF-8',
  'rejected: line longer than 10,000 characters',
  'rejected: language unknown',
  'rejected: no name, or one over 200 characters',
  'rejected: a mark that is neither 1 nor empty',
] as const;

export type AlternateNameProblemKind = (typeof ALTERNATE_NAME_PROBLEM_KINDS)[number];

const LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*|abbr|piny)?$/;
const NO_LANGUAGE = /^(?:[a-z]{4}|fr_1793)$/;
const MARK = /^1?$/;
const TAB = 0x09;
const ZERO = 0x30;

/**
 * The geonameid of an undecoded line, -1 if none. Most lines are not about a city, so decoding them all would waste
 * time.
 */
export function geonameIdOfAlternateName(line: Uint8Array): number {
  let at = line.indexOf(TAB) + 1;
  if (at === 0) return -1;
  let id = 0;
  const start = at;
  for (; at < line.length && line[at] !== TAB; at++) {
    const digit = (line[at] as number) - ZERO;
    if (digit < 0 || digit > 9 || at - start >= 10) return -1;
    id = id * 10 + digit;
  }
  return at > start && at < line.length ? id : -1;
}

export function parseAlternateName(line: string): AlternateName | AlternateNameProblemKind {
  if (line.length > MAX_LINE_LENGTH) return 'rejected: line longer than 10,000 characters';
  if (line.includes('\ufffd')) return 'rejected: not valid UTF-8';
  const columns = line.split('\t');
  if (columns.length !== 10 && columns.length !== 8) return 'rejected: neither 10 nor 8 columns';
  const [, , language, text, ...marks] = columns as string[] & { length: 8 };
  if (!LANGUAGE.test(language as string)) {
    return NO_LANGUAGE.test(language as string)
      ? 'left out: no name, but a link or a code'
      : 'rejected: language unknown';
  }
  const name = hasCleanColumns(line) ? (text as string) : joinUncleanColumnRuns(text as string).trim();
  if (!isCityName(name)) return 'rejected: no name, or one over 200 characters';
  const [preferred, short, colloquial, historic] = marks;
  if (![preferred, short, colloquial, historic].every((mark) => MARK.test(mark as string))) {
    return 'rejected: a mark that is neither 1 nor empty';
  }
  return {
    name,
    language: language as string,
    isPreferred: preferred === '1',
    isShort: short === '1',
    isColloquial: colloquial === '1',
    isHistoric: historic === '1',
  };
}
