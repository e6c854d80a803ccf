/**
 * What the countries' rendered answers (src/format/country-answers.ts) hold of one country, as text, or of many, as a view.
 */
import type { CountryAnswers } from '../format/country-answers.js';
import type { ByteString } from './byte-string.js';

/** The JSON objects of the countries from number `start` to, without, `end`, with commas between them: a view. */
export function countryRangeJson(answers: CountryAnswers, start: number, end: number): Buffer {
  if (end <= start) return answers.text.subarray(0, 0);
  return answers.text.subarray(answers.offsets[start], (answers.offsets[end] as number) - 1);
}

/** A country's JSON object without its closing brace, and what the detail has behind it: `,"stats":{…}` or nothing. */
export function countryDetailJson(answers: CountryAnswers, country: number): [ByteString, ByteString] {
  return [
    answers.text.toString('latin1', answers.offsets[country], (answers.offsets[country + 1] as number) - 2),
    answers.stats.toString('latin1', answers.statsOffsets[country], answers.statsOffsets[country + 1]),
  ];
}
