/** Slices of the countries' rendered answers (src/format/country-answers.ts). Each is a view; nothing is copied. */
import type { CountryAnswers } from '../format/country-answers.js';

/** The JSON objects of the countries from number `start` to, without, `end`, with commas between them. */
export function countryRangeJson(answers: CountryAnswers, start: number, end: number): Uint8Array {
  if (end <= start) return answers.text.subarray(0, 0);
  return answers.text.subarray(answers.offsets[start], (answers.offsets[end] as number) - 1);
}

/** A country's JSON object without its closing brace, and what the detail has behind it: `,"stats":{…}` or nothing. */
export function countryDetailJson(answers: CountryAnswers, country: number): [Uint8Array, Uint8Array] {
  return [
    answers.text.subarray(answers.offsets[country], (answers.offsets[country + 1] as number) - 2),
    answers.stats.subarray(answers.statsOffsets[country], answers.statsOffsets[country + 1]),
  ];
}
