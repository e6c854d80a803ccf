/**
 * `bench:library -- join`: a table too large for `enrich`, joined in DuckDB with the exported codes, and its rest by `enrich`:
 * the commands are those of docs/scaling.md. The rows have the snapshot's own codes, with the mistakes that people make.
 * Each step is a process of its own, with two gigabytes for DuckDB. A hundred million rows (BENCH_ROWS) take four minutes
 * and 5 GB of disk.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, megabytes, PROGRAM, ROOT, requireSnapshot, startTable, timeCommand } from './measuring.mjs';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000_000);

/**
 * The commands of the document in their order, each as the arguments of node: the statements of a block of SQL, and a line
 * of the program `postal-places`.
 */
export function commandsOfDocument(snapshot) {
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
  const [, recipe = ''] = text.split('\n## Large tables');
  return [...recipe.matchAll(/```(sql|sh)\n([^`]+)```/g)].slice(0, 4).map(([, language, body]) => {
    if (language === 'sql') return [join(import.meta.dirname, 'join-program.mjs'), body];
    const [, ...words] = body.trim().split(' ');
    return [PROGRAM, ...words, '--snapshot', snapshot];
  });
}

/** The code of a row, as it is written where `noise`, from 0 to 99, says which mistake it has. */
const WRITTEN = `CASE
  WHEN noise < 40 THEN postcode
  WHEN noise < 60 THEN lower(postcode)
  WHEN noise < 80 THEN translate(postcode, ' -', '')
  WHEN noise < 92 THEN ' ' || replace(postcode, '-', ' ')
  WHEN noise < 94 THEN countryCode || '-' || postcode
  WHEN noise < 96 THEN ltrim(postcode, '0')
  WHEN noise < 98 THEN 'X' || postcode
  ELSE postcode || CASE countryCode WHEN 'US' THEN '-1234' WHEN 'GB' THEN ' 1AA' WHEN 'NL' THEN ' AB' ELSE '' END
END`;

/** Statements that write rows.parquet with so many rows, of the codes in postcodes.parquet. */
export function statementsForRows(rowCount) {
  return `
    CREATE TABLE codes AS SELECT *, row_number() OVER () - 1 AS number FROM 'postcodes.parquet';
    COPY (
      SELECT range AS id, countryCode AS country, ${WRITTEN} AS postcode
      FROM (SELECT range, hash(range) % (SELECT count(*) FROM codes) AS number, hash(-range) % 100 AS noise FROM range(${rowCount}))
      JOIN codes USING (number)
    ) TO 'rows.parquet'`;
}

export async function measureJoin([named], folder) {
  const [exporting, joining, enriching, adding] = commandsOfDocument(requireSnapshot(named));
  const program = join(import.meta.dirname, 'join-program.mjs');
  const steps = {
    'export of the codes': exporting,
    'rows with mistakes': [program, statementsForRows(ROWS)],
    'join by the compact form': joining,
    'enrich of what is left': enriching,
    'join of what is left': adding,
  };
  const table = startTable(['step', 'seconds', 'CPU seconds', 'rows a second', 'most MB']);
  for (const [name, command] of Object.entries(steps)) {
    const { seconds, cpuSeconds, stdout } = timeCommand([process.execPath, ...command], folder);
    const figures = [seconds.toFixed(1), cpuSeconds.toFixed(1)];
    if (command[0] !== program) table.row([name, ...figures, '', '']);
    else table.row([name, ...figures, count(ROWS / seconds), megabytes(JSON.parse(stdout).peakBytes)]);
  }
  const counting =
    "SELECT (SELECT count(*) FROM 'joined.parquet' WHERE found IS NOT NULL) AS first, count(found) AS both FROM 'complete.parquet'";
  const { rows } = JSON.parse(timeCommand([process.execPath, program, counting], folder).stdout);
  table.end();
  process.stdout.write(
    `rows with a place, of ${count(ROWS)}: ${count(rows[0].first)} by the first join, ${count(rows[0].both)} by both\n\n`,
  );
}
