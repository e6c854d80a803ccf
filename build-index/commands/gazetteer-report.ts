/** What a build reports of its gazetteer: which cities are which places, and what is missing without one. */
import type { GazetteerReport } from '../building/build-snapshot.js';
import { ALTERNATE_NAME_PROBLEM_KINDS } from '../gazetteer/alternate-name-row.js';
import { CITY_PROBLEM_KINDS } from '../gazetteer/city-row.js';
import type { CityExample } from '../gazetteer/match-tally.js';
import { PLACED_KINDS, type PlacedKind } from '../gazetteer/placed-cities.js';
import { formatCount, formatShare, printable, renderTable } from '../reporting/tables.js';

const PROBLEM_ORDER = [...new Set([...CITY_PROBLEM_KINDS, ...ALTERNATE_NAME_PROBLEM_KINDS])];
const EXPLANATIONS: Readonly<Record<PlacedKind, string>> = {
  name: 'by name',
  core: 'by name without "city", "shi" and such words',
  'other name': 'by another name',
  astray: "by name and admin unit, far from the release's position",
  'parts by name': 'in parts that are named after it',
  'parts around': 'in parts that lie around it',
  amid: 'among places of other names',
  inside: 'in a larger city',
  none: 'not found',
};

/** An object for the report of machines; null where there is no gazetteer. */
export function gazetteerAsObject(report: GazetteerReport | null): object | null {
  if (report === null) return null;
  const { citiesFile, alternateNamesFile, tally, matches } = report;
  const { citiesRead, citiesTaken, namesRead, namesTaken } = tally;
  return {
    citiesFile,
    alternateNamesFile,
    cities: { read: citiesRead, taken: citiesTaken },
    alternateNames: { read: namesRead, taken: namesTaken },
    problems: listProblems(report).map(([kind, problem]) => ({ kind, ...problem })),
    matched: PLACED_KINDS.map((kind) => ({ kind, ...matches.kinds[kind] })),
    wider: matches.wider,
    made: { ...matches.made, largest: matches.madeExamples },
    renamedPlaces: matches.renamed,
    movedPlaces: matches.moved,
    unmatched: matches.unmatched,
  };
}

export function gazetteerAsText(report: GazetteerReport | null): string {
  if (report === null) {
    return 'no gazetteer: suggestions know neither the people of a city nor its names in other languages';
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
    ...listProblems(report).map(([kind, { count, examples }]) =>
      [`${kind} (${formatCount(count)})`, ...examples.map((example) => `  ${printable(example)}`)].join('\n'),
    ),
    renderTable(
      ['cities', 'count', 'people', 'share'],
      [
        ...PLACED_KINDS.map((kind) => [EXPLANATIONS[kind], matches.kinds[kind]] as const),
        ['(of those found: an admin unit that is wider)', matches.wider] as const,
        ['(of those found: a place was made)', matches.made] as const,
      ].map(([text, sum]) => [text, formatCount(sum.cities), formatCount(sum.people), formatShare(sum.people, people)]),
    ),
    listExamples('made, the largest', matches.madeExamples),
    matches.renamed === 0
      ? ''
      : `places with a name that people use, not a romanised one: ${formatCount(matches.renamed)}`,
    matches.moved === 0 ? '' : `places far from their city, moved to it: ${formatCount(matches.moved)}`,
    listExamples('not found, the largest', matches.unmatched),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function listExamples(title: string, cities: readonly CityExample[]): string {
  if (cities.length === 0) return '';
  return `${title}: ${cities.map(({ name, countryCode }) => printable(`${name} ${countryCode}`)).join(', ')}`;
}

function listProblems({ tally }: GazetteerReport) {
  return PROBLEM_ORDER.flatMap((kind) => {
    const problem = tally.problems[kind];
    return problem === undefined ? [] : [[kind, problem] as const];
  });
}
