/**
 * Builds one country, from its rows to its slices of the snapshot: one streaming pass over the file, the tree, the
 * match with the gazetteer's cities, then one builder for each structure. Runs on a worker thread, and frees the
 * country's memory when it has returned the slices.
 */

import { COUNTRY_SECTIONS, type CountrySectionName } from '../../src/core/snapshot/sections.js';
import { matchCities } from '../cities/match-cities.js';
import { type MatchTally, tallyMatches } from '../cities/match-tally.js';
import { type PlacedCity, placeCitiesInTree } from '../cities/placed-cities.js';
import { TreeAreas } from '../cities/tree-areas.js';
import { cleanPlaces } from '../cleaning/clean-places.js';
import { type CleaningTally, createCleaningTally } from '../cleaning/cleaning-tally.js';
import { noteFormulas } from '../cleaning/formula-names.js';
import type { Correction } from '../corrections/correction.js';
import type { CorrectionTally } from '../corrections/correction-tally.js';
import { RowCorrector } from '../corrections/row-corrector.js';
import type { CountryFacts } from '../data-tables/country-facts.js';
import { choosePostalCodeFormat } from '../data-tables/postal-code-format.js';
import { unitNamesOf } from '../data-tables/unit-names.js';
import { findOldPaths } from '../diffing/find-old-paths.js';
import type { PreviousCountry } from '../diffing/previous-snapshot.js';
import type { NamedCity, UnitNames } from '../gazetteer/read-gazetteer.js';
import { matchSubdivisionCodes, type SubdivisionTally, tallySubdivisions } from '../place-facts/subdivision-codes.js';
import type { Task } from '../pool/pool.js';
import { parsePostalRow } from '../reading/postal-row.js';
import type { CountryFile } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';
import { createRowTally, noteProblemLine, type Tally } from '../reading/row-problems.js';
import { locateSplitLine } from '../reading/split-by-country.js';
import { readLines } from '../reading/table-lines.js';
import { buildFullCodes, type FullCodesTally } from '../structures/build-full-codes.js';
import { buildIdIndex } from '../structures/build-id-index.js';
import { buildNameIndex } from '../structures/build-name-index.js';
import { buildNamesByLanguage } from '../structures/build-names-by-language.js';
import { buildOldPaths, type OldPath } from '../structures/build-old-paths.js';
import { buildPathTrie } from '../structures/build-path-trie.js';
import { buildPlaceCities } from '../structures/build-place-cities.js';
import { buildPlaceContexts } from '../structures/build-place-contexts.js';
import { buildPlaceFacts } from '../structures/build-place-facts.js';
import { buildPlaceOrders, orderPlaces } from '../structures/build-place-orders.js';
import { buildPlacePositions } from '../structures/build-place-positions.js';
import { buildPlaceTree } from '../structures/build-place-tree.js';
import { buildPointIndex } from '../structures/build-point-index.js';
import { buildPostcodeIndex } from '../structures/build-postcode-index.js';
import { buildRenderedPlaces } from '../structures/build-rendered-places.js';
import { findCityPlaces } from '../suggesting/city-places.js';
import { listOtherNames } from '../suggesting/other-names-of-units.js';
import type { RankKeys } from '../suggesting/suggestion-order.js';
import { type CollectedPlaces, PlaceCollector } from '../tree/collected-places.js';
import { buildCountryTree, type CountryTree } from '../tree/country-tree.js';

export interface BuildCountryTask extends Task<BuiltCountry> {
  readonly kind: 'build-country';
  readonly file: CountryFile;
  /** The country's full codes; null without a file of them. */
  readonly fullFile: CountryFile | null;
  /** Null if the file's code is not a country: then the file's rows are only counted. */
  readonly facts: CountryFacts | null;
  readonly siteUrl: string;
  /** The country's cities in the gazetteer, by population; null without a gazetteer. */
  readonly cities: readonly NamedCity[] | null;
  readonly unitNames: UnitNames;
  /** The operator's corrections for the country. */
  readonly corrections: readonly Correction[];
  /** The country in the previous snapshot; null if there is none. */
  readonly previous: PreviousCountry | null;
}

export interface BuiltCountry {
  readonly countryCode: string;
  readonly tally: Tally;
  readonly cleaning: CleaningTally;
  readonly correctionTally: CorrectionTally;
  readonly levelCounts: readonly number[];
  readonly distinctPostcodes: number;
  readonly oldPathCount: number;
  /** The format that fits the codes, see country-facts.ts. */
  readonly postalCodeFormat: string | null;
  /** The chunks of the country's slice of each country section there can be; empty if no row was taken. */
  readonly slices: readonly (readonly Uint8Array[])[];
  readonly rankKeys: RankKeys | null;
  /** Null without a gazetteer, or if no row was taken. */
  readonly matchTally: MatchTally | null;
  /** Null if no row was taken. */
  readonly subdivisions: SubdivisionTally | null;
  /** Null without a file of full codes. */
  readonly fullCodes: FullCodesTally | null;
  readonly seconds: Readonly<Record<'reading' | 'tree' | 'matching' | 'structures', number>>;
}

export async function buildCountry({
  file,
  fullFile,
  facts,
  siteUrl,
  cities,
  unitNames,
  corrections,
  previous,
}: BuildCountryTask): Promise<BuiltCountry> {
  const clock = phaseClock();
  const { places, tally, correctionTally } = await collectPlaces(file, facts !== null, corrections);
  const reading = clock();
  const built = { countryCode: file.countryCode, tally, correctionTally };
  if (facts === null || places.parents.length === 0) {
    if (fullFile !== null) {
      const found = `the release has full codes of ${file.countryCode}, of whose places no row is taken`;
      throw new ReleaseError(`${fullFile.path}: ${found}; remove the file`);
    }
    const seconds = { reading, tree: 0, matching: 0, structures: 0 };
    return {
      ...{ ...built, cleaning: createCleaningTally(), levelCounts: [], distinctPostcodes: 0, oldPathCount: 0, seconds },
      ...{ postalCodeFormat: null, slices: [], rankKeys: null, matchTally: null, subdivisions: null, fullCodes: null },
    };
  }
  const cleaned = cleanPlaces(places, facts.code);
  const releasedTree = buildCountryTree(cleaned.places, facts.code);
  const treeSeconds = clock();
  const areas = new TreeAreas(releasedTree);
  const placed =
    cities === null ? null : placeCitiesInTree(releasedTree, matchCities(releasedTree, cities, areas), areas);
  const matching = clock();
  const tree = placed?.tree ?? releasedTree;
  noteFormulas(tree, cleaned.tally);
  const oldPaths = previous === null ? [] : findOldPaths(previous, tree);
  const pageUrl = `${siteUrl}/${facts.slug}`;
  const { slices, ...structures } = buildStructures(tree, facts, pageUrl, placed?.cities ?? [], oldPaths);
  const fullCodes = fullFile === null ? null : await buildFullCodes(fullFile, tree, slices['postcode-index']);
  const all: Readonly<Record<CountrySectionName, readonly Uint8Array[]>> = {
    ...slices,
    'full-codes': fullCodes?.chunks ?? [],
    'names-by-language': buildNamesByLanguage(tree, placed?.cities ?? [], unitNames),
  };
  return {
    ...built,
    cleaning: cleaned.tally,
    levelCounts: [0, 1, 2, 3].map(
      (index) => (tree.levelStarts[index + 1] as number) - (tree.levelStarts[index] as number),
    ),
    postalCodeFormat: choosePostalCodeFormat(
      facts.postalCodeFormats,
      tree.postalCodes.filter((code) => code !== null),
    ),
    ...structures,
    slices: COUNTRY_SECTIONS.map((name) => all[name]),
    fullCodes: fullCodes?.tally ?? null,
    oldPathCount: oldPaths.length,
    matchTally: placed === null ? null : tallyMatches(placed),
    seconds: { reading, tree: treeSeconds, matching, structures: clock() },
  };
}

async function collectPlaces(
  file: CountryFile,
  isCountry: boolean,
  corrections: readonly Correction[],
): Promise<{ places: CollectedPlaces; tally: Tally; correctionTally: CorrectionTally }> {
  const tally = createRowTally();
  const unitNames = unitNamesOf(file.countryCode);
  const collector = new PlaceCollector((code) => unitNames.nameOfCode(code));
  let number = 0;
  const where = (): string => locateSplitLine(file, number);
  const context = { countryCode: file.countryCode, tally, where };
  const corrector = new RowCorrector(corrections, where);
  await readLines(file, (bytes, lineNumber) => {
    // Invalid UTF-8 decodes to U+FFFD, which parsePostalRow rejects.
    const line = bytes.toString('utf8');
    number = lineNumber;
    if (!isCountry) {
      tally.rowsRead++;
      tally.rowsRejected++;
      noteProblemLine(tally, 'rejected: no country of ISO 3166-1', where, line);
      return;
    }
    const row = corrector.correct(parsePostalRow(line, context));
    if (row === undefined) return;
    if (collector.add(row)) {
      tally.rowsTaken++;
    } else {
      tally.rowsMerged++;
      noteProblemLine(tally, 'merged: the same place twice', where, line);
    }
  });
  // RowCorrector adds no row that exists already, so none of these rows is merged.
  for (const row of corrector.finish()) if (collector.add(row)) tally.rowsTaken++;
  return { places: collector.places, tally, correctionTally: corrector.tally };
}

function buildStructures(
  tree: CountryTree,
  facts: CountryFacts,
  pageUrl: string,
  cities: readonly PlacedCity[],
  oldPaths: readonly OldPath[],
): Pick<BuiltCountry, 'rankKeys' | 'distinctPostcodes' | 'subdivisions'> & {
  readonly slices: Record<Exclude<CountrySectionName, 'full-codes' | 'names-by-language'>, Uint8Array[]>;
} {
  const ordered = orderPlaces(tree);
  const postcodes = buildPostcodeIndex(tree, ordered);
  const otherNames = listOtherNames(tree);
  const subdivisionCodes = matchSubdivisionCodes(tree);
  const names = buildNameIndex(tree, otherNames, findCityPlaces(tree, cities), postcodes.leaves);
  const slices = {
    'place-answers': buildRenderedPlaces(tree, pageUrl),
    'place-tree': buildPlaceTree(tree),
    'path-trie': buildPathTrie(tree),
    'id-index': buildIdIndex(tree),
    'postcode-index': postcodes.chunks,
    'place-orders': buildPlaceOrders(tree, ordered),
    'point-index': buildPointIndex(tree, postcodes.codeOf),
    'place-positions': buildPlacePositions(tree),
    'name-index': names.chunks,
    'place-contexts': buildPlaceContexts(tree, otherNames, subdivisionCodes, facts),
    'old-paths': buildOldPaths(oldPaths),
    'place-facts': buildPlaceFacts(tree, subdivisionCodes, cities),
    'place-cities': buildPlaceCities(tree, cities),
  };
  return {
    slices,
    rankKeys: names.keys,
    distinctPostcodes: postcodes.codeCount,
    subdivisions: tallySubdivisions(tree, subdivisionCodes),
  };
}

/** A clock that returns the seconds since its previous call. */
function phaseClock(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = (now - last) / 1000;
    last = now;
    return seconds;
  };
}
