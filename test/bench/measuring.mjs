/** What the benchmarks share: rounds, medians and tables of figures. */
import { availableParallelism } from 'node:os';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What `run(name, round)` gives, or resolves to, for each name, the names in turn, in rounds from 1 on. */
export async function runRounds(names, roundCount, run) {
  const rounds = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 1; round <= roundCount; round++) {
    for (const name of names) rounds[name].push(await run(name, round));
  }
  return rounds;
}

/** The median of one figure over the rounds. */
export function medianOf(rounds, figure) {
  return median(rounds.map((round) => round[figure]));
}

let hasPrintedMachine = false;

/**
 * Prints rows of texts under a heading, the first column to the left, the others to the right. Before the first table comes
 * the Node that ran the benchmark, and the number of processors.
 */
export function printTable(heading, rows) {
  if (!hasPrintedMachine) {
    process.stdout.write(`node ${process.versions.node}, ${availableParallelism()} processors\n\n`);
    hasPrintedMachine = true;
  }
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  for (const row of all) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
  process.stdout.write('\n');
}

export function count(value) {
  return Math.round(value).toLocaleString('en-US');
}
