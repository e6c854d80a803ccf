/**
 * `npm run bench:lines [-- <snapshot> <cities500.zip or .txt>]`: whether the suggestions are what people mean who type or
 * paste the last line of an address, the start of one or a name in it. Cases are drawn from the snapshot's data and the
 * gazetteer with a fixed seed, beside real lines of known towns. For each measure: the percentage of cases answered
 * rightly, their number, the aim, and the percentage before address lines were parsed (on other cases). Every second case
 * is held out for whoever tunes by the others. Asks the service in this process; nothing is timed.
 *
 *   --held-out           the cases that are held out, instead of the others
 *   --misses <measure>   only the measures whose name contains this text, with each case that was answered wrongly
 */
import { parseArgs } from 'node:util';
import { cityMeasures } from './lines/city-measures.mjs';
import { districtMeasures } from './lines/district-measures.mjs';
import { listKnownLines } from './lines/known-lines.mjs';
import { lineMeasures } from './lines/line-measures.mjs';
import { listMeasures } from './lines/list-measures.mjs';
import { mistakeMeasures } from './lines/mistake-measures.mjs';
import { nameMeasures } from './lines/name-measures.mjs';
import { createSource } from './lines/source.mjs';
import { typingMeasures } from './lines/typing-measures.mjs';
import { count, printTable } from './measuring.mjs';
import { createAsker, openInputs } from './suggest/asking.mjs';

const { values, positionals } = parseArgs({
  options: { 'held-out': { type: 'boolean', default: false }, misses: { type: 'string' } },
  allowPositionals: true,
});
const { snapshot, gazetteer } = await openInputs('bench:lines', positionals, 'cities500.zip');
const asker = createAsker(snapshot);
const source = createSource(snapshot, gazetteer, asker);
const knownLines = listKnownLines(source);
const everyMeasure = [
  ...lineMeasures(source, knownLines),
  ...districtMeasures(source),
  ...typingMeasures(source),
  ...mistakeMeasures(source),
  ...cityMeasures(source),
  ...nameMeasures(source),
  ...listMeasures(source),
];
const measures = everyMeasure.filter(({ name }) => values.misses === undefined || name.includes(values.misses));
if (measures.length === 0) {
  const names = everyMeasure.map(({ name }) => name).join('\n  ');
  process.stderr.write(`bench:lines: no measure has ${values.misses} in its name:\n  ${names}\n`);
  process.exit(2);
}
const half = values['held-out'] ? 1 : 0;
const rows = measures.map(({ name, aim, before, cases }) => {
  const judged = cases()
    .filter(({ group }, number) => (group ?? number) % 2 === half)
    .map(({ label, judge }) => ({ label, miss: judge(asker.suggest) }));
  const misses = judged.filter(({ miss }) => miss !== undefined);
  if (values.misses !== undefined) printMisses(name, misses);
  const share = judged.length === 0 ? '' : ((1 - misses.length / judged.length) * 100).toFixed(1);
  return [name, share, count(judged.length), `${aim ?? ''}`, `${before ?? ''}`];
});
printTable([values['held-out'] ? 'held out' : 'tuned on', '% right', 'cases', 'aim', 'before'], rows);

function printMisses(name, misses) {
  process.stdout.write(`${name}: ${misses.length} answered wrongly\n`);
  for (const { label, miss } of misses) process.stdout.write(`  ${label}  ->  ${miss}\n`);
  process.stdout.write('\n');
}
