/**
 * Which results of a search belong together: the main results, which a map must show, and the places of one name in one
 * country, which are one line of the list: Berlin in Germany, then Berlin in eleven states of the United States.
 */

import { foldText } from '../../core/snapshot/fold-text.js';
import { readNameField } from '../../core/snapshot/place-fields.js';
import { listAncestors } from '../../core/snapshot/place-tree.js';
import { inSentence } from '../html/country-in-sentence.js';
import { formatCounted } from '../html/formats.js';
import { listRanksOfPage } from './code-summary.js';
import { isCovered } from './covered-country.js';
import type { Hit } from './place-search.js';
import { termOfAll } from './unit-terms.js';

/** Minimum number of places in a line: two are as short in lines of their own. */
const LEAST_GROUP = 3;
/** A place with this many times the codes of any other of its name is meant alone: San Jose in California, not in Illinois. */
const DOMINANCE = 10;

/**
 * The first result with a position, and the places of its name in its country, unless the first has far more codes than
 * each of them.
 */
export function listMainHits(hits: readonly Hit[]): readonly Hit[] {
  const first = hits.find(({ position }) => position !== undefined);
  if (first === undefined) return [];
  const others = hits.filter((hit) => hit !== first && lineOf(hit) === lineOf(first));
  const isAlone = countCodes(first) >= DOMINANCE * Math.max(...others.map(countCodes));
  return isAlone ? [first] : [first, ...others];
}

/** The results in lines, in the order of the first result of each line. */
export function groupHits(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const main = listMainHits(hits);
  const lines = new Map<string | Hit, Hit[]>();
  for (const hit of hits) {
    const key = main.length === 1 && hit === main[0] ? hit : lineOf(hit);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [hit]);
    else line.push(hit);
  }
  return [...lines.values()].flatMap((line) => (line.length < LEAST_GROUP ? line.map((hit) => [hit]) : [line]));
}

function lineOf({ kind, name, path, country }: Hit): string {
  return kind === 'place' ? `${country.entry.code} ${foldText(name)}` : path;
}

function countCodes({ country, place }: Hit): number {
  return place === undefined || !isCovered(country) ? 1 : listRanksOfPage(country, place).length;
}

/** What tells the places of a line apart: their states, and where two are in one state their districts too. */
export function namesInLine(line: readonly Hit[]): readonly string[] {
  const units = line.map((hit) => unitsOf(hit).map(({ name }) => name));
  return line.map(({ where }, at) => {
    const shown: string[] = [];
    let alike = units;
    for (const [level, name] of (units[at] as readonly string[]).entries()) {
      if (alike.length === 1) break;
      shown.unshift(name);
      alike = alike.filter((other) => other[level] === name);
    }
    return shown.join(', ') || where;
  });
}

/** "11 states of the United States", or "7 places in Peru" where several are in one region. */
export function describeLine(line: readonly Hit[]): string {
  const [{ country }] = line as [Hit];
  const name = inSentence(country.entry.name);
  const regions = new Set(line.map((hit) => unitsOf(hit)[0]?.unit));
  if (!isCovered(country) || regions.size < line.length) return `${formatCounted(line.length, 'place')} in ${name}`;
  const { one, many } = termOfAll(
    country,
    [...regions].filter((unit) => unit !== undefined),
  );
  return `${formatCounted(line.length, one, many)} of ${name}`;
}

/** The units that a place lies in, the outermost first. */
export function unitsOf({ country, place }: Hit): readonly { readonly unit: number; readonly name: string }[] {
  if (place === undefined || !isCovered(country)) return [];
  const { structures } = country;
  return listAncestors(structures.tree, place).map((unit) => ({ unit, name: readNameField(structures, unit) }));
}
