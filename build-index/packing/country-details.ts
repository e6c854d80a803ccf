/** Reads from the answers of the countries what neither the manifest nor another section has. */
import type { Manifest } from '../../src/format/manifest.js';
import { type CountryResource, decodeRenderedCountries } from '../../src/format/rendered-countries.js';
import { structureError } from '../../src/format/snapshot-error.js';
import { readSection } from '../../src/store/snapshot-reading.js';
import type { CountryDetails } from '../structures/country-answers.js';

const WHERE = 'country-answers';

/** The details of all countries of the manifest. Throws SnapshotError if an answer is not an object of JSON. */
export function readDetails(fd: number, { countries, sections }: Manifest): CountryDetails[] {
  const { text, offsets } = decodeRenderedCountries(readSection(fd, sections, WHERE), WHERE, countries.length);
  return countries.map(({ code }, number) => {
    // Without the comma behind it.
    return parseAnswer(text.toString('utf8', offsets[number], (offsets[number + 1] as number) - 1), code);
  });
}

function parseAnswer(json: string, code: string): CountryResource {
  try {
    const answer: unknown = JSON.parse(json);
    if (typeof answer === 'object' && answer !== null) return answer as CountryResource;
  } catch {
    // The error below says which country's answer it is.
  }
  throw structureError(WHERE, `an object of JSON for ${code}`, json.slice(0, 100));
}
