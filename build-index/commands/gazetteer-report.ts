/** The gazetteer's section of a build report: how many cities matched a place, by kind of match. */
import type { GazetteerReport } from '../building/build-snapshot.js';
import { ALTERNATE_NAME_PROBLEM_KINDS } from '../gazetteer/alternate-name-row.js';
import { CITY_PROBLEM_KINDS } from '../gazetteer/city-row.js';
import type { CityExample } from '../gazetteer/match-tally.js';
import { PLACED_KINDS, type PlacedKind } from '../gazetteer/placed-cities.js';
import { listProblems } from '../reading/build-problem.js';
import { formatCount, formatShare, printable, renderExamples, renderTable } from '../reporting/tables.js';

const PROBLEM_ORDER = [...new Set([...CITY_PROBLEM_KINDS, ...ALTERNATE_NAME_PROBLEM_KINDS])];
const EXPLANATIONS: Readonly<Record<PlacedKind, string>> = {
  name: 'by name',
  'core name': 'by core name, without "city", "shi" and similar words',
  'other name': 'by another name',
  outside: "by name and admin unit, far from the release's position",
  'parts by name': 'by parts named after the city',
  'parts around': 'by parts around the city',
  'similar name': 'by a name one letter apart',
  'shared place': 'a second record of a city that is found',
  inside: 'without a matching place, inside an admin unit',
  'in larger city': 'in a larger city',
  none: 'not found',
};

/** The section of the JSON report; null without a gazetteer. */
export function gazetteerAsObject(report: GazetteerReport | null): object | null {
  if (report === null) return null;
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const { citiesRead, citiesTaken, namesRead, namesTaken } = tally;
  return {
    citiesFile,
    alternateNamesFile,
    cities: { read: citiesRead, taken: citiesTaken },
    alternateNames: { read: namesRead, taken: namesTaken },
    problems: listProblems(tally.problems, PROBLEM_ORDER).map(([kind, problem]) => ({ kind, ...problem })),
    matched: PLACED_KINDS.map((kind) => ({ kind, ...matches.kinds[kind] })),
    wider: matches.wider,
    synthesised: { ...matches.synthesised, largest: matches.synthesisedExamples },
    renamedPlaces: matches.renamed,
    movedPlaces: matches.moved,
    unmatched: matches.unmatched,
  };
}

export function gazetteerAsText(report: GazetteerReport | null): string {
  if (report === null) {
    return 'no gazetteer: suggestions have neither populations nor names in other languages';
  }
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const sums = PLACED_KINDS.map((kind) => matches.kinds[kind]);
  const people = sums.reduce((total, sum) => total + sum.people, 0);
  const blocks = [
    [
      `${printable(citiesFile)}: ${formatCount(tally.citiesTaken)} of ${formatCount(tally.citiesRead)} rows taken`,
      alternateNamesFile === null
        ? 'no table of alternate names: other names are those in the rows of the cities'
        : `${printable(alternateNamesFile)}: ${formatCount(tally.namesTaken)} of ${formatCount(tally.namesRead)} rows about these cities taken`,
    ].join('\n'),
    ...listProblems(tally.problems, PROBLEM_ORDER).map(([kind, { count, examples }]) =>
      renderExamples(kind, count, examples),
    ),
    renderTable(
      ['cities', 'count', 'people', 'share'],
      [
        ...PLACED_KINDS.map((kind) => [EXPLANATIONS[kind], matches.kinds[kind]] as const),
        ['(of the cities found: an admin unit that is wider)', matches.wider] as const,
        ['(of the cities found: a place was synthesised)', matches.synthesised] as const,
      ].map(([text, sum]) => [text, formatCount(sum.cities), formatCount(sum.people), formatShare(sum.people, people)]),
    ),
    listExamples('synthesised, the largest', matches.synthesisedExamples),
    matches.renamed === 0 ? '' : `places renamed from a romanised to a common name: ${formatCount(matches.renamed)}`,
    matches.moved === 0 ? '' : `places moved to the gazetteer's position of their city: ${formatCount(matches.moved)}`,
    listExamples('not found, the largest', matches.unmatched),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function listExamples(title: string, cities: readonly CityExample[]): string {
  if (cities.length === 0) return '';
  return `${title}: ${cities.map(({ name, countryCode }) => printable(`${name} ${countryCode}`)).join(', ')}`;
}
