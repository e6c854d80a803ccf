/**
 * Writes data/subdivision-names.tsv: the first-level subdivisions of ISO 3166-2, each with its English name (Unicode's
 * CLDR) and its names in the country's languages (ISO 3166-2, by the package iso-3166). A country is left out if all its
 * English names are the country's own.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { iso31662 } from 'iso-3166';
import { foldText } from '../src/format/fold-text.js';

/** Names that releases use and ISO 3166-2 lacks. */
const FURTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'ID-JK': ['DKI Jakarta'],
  'ID-YO': ['DI Yogyakarta'],
  'IT-65': ['Abruzzi'],
};
/** Countries whose codes CLDR 48 has under earlier names: Morocco numbered its regions anew in 2015. */
const OUTDATED: ReadonlySet<string> = new Set(['MA']);
/** Subdivisions whose name in CLDR 48 is not English, not complete, or a city's: Washington DC, Stepanakert. */
const WRONG: ReadonlySet<string> = new Set(['AZ-XA', 'CZ-10', 'NO-54', 'NZ-MBH', 'US-DC']);
/** "Bolzano [Bozen]", "Valenciana, Comunidad / Valenciana, Comunitat", "Abruzzo (it)". */
const SEPARATORS = /\s*[[\]/]\s*/;
const INVERTED = /^([^,]+), ([^,]+)$/;
/** CLDR marks some names with a footnote: "Île-de-France²". */
const FOOTNOTE = /[¹²³]/gu;

interface Subdivision {
  readonly code: string;
  readonly english: string;
  readonly names: readonly string[];
}

export function writeSubdivisionNames(): string {
  const english = readEnglishNames();
  const byCountry = new Map<string, Subdivision[]>();
  for (const { code, name, parent } of iso31662) {
    const englishName = english[code.replace('-', '').toLowerCase()]?.replace(FOOTNOTE, '');
    if (!code.startsWith(`${parent}-`) || OUTDATED.has(parent) || WRONG.has(code)) continue;
    if (englishName === undefined) continue;
    const names = [...new Set([...listNames(name), ...(FURTHER_NAMES[code] ?? [])])];
    const subdivisions = byCountry.get(parent) ?? [];
    subdivisions.push({ code, english: englishName, names: names.filter((one) => one !== englishName) });
    byCountry.set(parent, subdivisions);
  }
  return [...byCountry.values()]
    .filter((subdivisions) => subdivisions.some(hasOwnEnglishName))
    .flat()
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, english: name, names }) => `${[code, name, ...names].join('\t')}\n`)
    .join('');
}

function hasOwnEnglishName({ english, names }: Subdivision): boolean {
  return names.length > 0 && names.every((name) => foldText(name) !== foldText(english));
}

/** The names in one text of ISO 3166-2, and those with a comma in their usual order too: "Comunidad Valenciana". */
function listNames(text: string): string[] {
  return text
    .split(SEPARATORS)
    .filter((name) => name !== '')
    .flatMap((name) => {
      const [, last, first] = INVERTED.exec(name) ?? [];
      return first === undefined ? [name] : [name.replace(', ', ' '), `${first} ${last}`, last as string];
    });
}

function readEnglishNames(): Readonly<Record<string, string>> {
  const file = createRequire(import.meta.url).resolve('cldr-subdivisions-full/subdivisions/en/en.json');
  const { subdivisions } = JSON.parse(readFileSync(file, 'utf8')) as {
    subdivisions: { localeDisplayNames: { subdivisions: Record<string, string> } };
  };
  return subdivisions.localeDisplayNames.subdivisions;
}
