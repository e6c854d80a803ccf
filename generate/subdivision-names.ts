/**
 * Writes data/subdivision-names.tsv: the first-level subdivisions of ISO 3166-2, each with its English name (Unicode's
 * CLDR; empty where CLDR has none that is right) and its names in the country's languages (ISO 3166-2, by the package
 * iso-3166).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { iso31662 } from 'iso-3166';

/** Names that releases use and ISO 3166-2 lacks. */
const FURTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'ID-JK': ['DKI Jakarta'],
  'ID-YO': ['DI Yogyakarta'],
  'IT-65': ['Abruzzi'],
};
/** Subdivisions that are newer than the package: the counties of Norway since 2024 (ISO's newsletter of 2023-11-23). */
const NEWER: readonly { readonly code: string; readonly name: string; readonly parent: string }[] = [
  { code: 'NO-31', name: 'Østfold', parent: 'NO' },
  { code: 'NO-32', name: 'Akershus', parent: 'NO' },
  { code: 'NO-33', name: 'Buskerud', parent: 'NO' },
  { code: 'NO-39', name: 'Vestfold', parent: 'NO' },
  { code: 'NO-40', name: 'Telemark', parent: 'NO' },
  { code: 'NO-55', name: 'Troms', parent: 'NO' },
  { code: 'NO-56', name: 'Finnmark', parent: 'NO' },
];
/** Countries whose codes CLDR 48 has under earlier names: Morocco numbered its regions anew in 2015. */
const OUTDATED: ReadonlySet<string> = new Set(['MA']);
/**
 * Subdivisions that no unit of a release is, though one has the name but for a word for its kind: releases have Monaco as
 * one unit, and Monaco-Ville is a quarter of it.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['MC-MO']);
/** Subdivisions whose name in CLDR 48 is not English, not complete, or a city's: Washington DC, Stepanakert. */
const WRONG: ReadonlySet<string> = new Set(['AZ-XA', 'CZ-10', 'NO-54', 'NZ-MBH', 'US-DC']);
/** "Bolzano [Bozen]", "Valenciana, Comunidad / Valenciana, Comunitat", "Abruzzo (it)". */
const SEPARATORS = /\s*[[\]/]\s*/;
const INVERTED = /^([^,]+), ([^,]+)$/;
/** CLDR marks some names with a footnote: "Île-de-France²". */
const FOOTNOTE = /[¹²³]/gu;

export function writeSubdivisionNames(): string {
  const english = readEnglishNames();
  return [...iso31662, ...NEWER]
    .filter(({ code, parent }) => code.startsWith(`${parent}-`) && !LEFT_OUT.has(code))
    .map(({ code, name, parent }) => {
      const isWrong = OUTDATED.has(parent) || WRONG.has(code);
      const englishName = english[code.replace('-', '').toLowerCase()]?.replace(FOOTNOTE, '');
      const first = englishName === undefined || isWrong ? '' : englishName;
      const names = new Set([...listNames(name), ...(FURTHER_NAMES[code] ?? [])]);
      return { code, columns: [code, first, ...[...names].filter((one) => one !== first)] };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ columns }) => `${columns.join('\t')}\n`)
    .join('');
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
