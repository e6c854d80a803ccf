/** What a table costs that is not as it should be: memory and the line of the fault, in a process of its own. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiled } from '../../fixtures/program.js';
import { buildScene } from './scene.js';

const { snapshotPath, folderPath } = buildScene(['AD']);

/** Writes the most memory that a process had, in bytes, when it ends. */
const PEAK = `data:text/javascript,process.on('exit',()=>process.stdout.write(String(process.resourceUsage().maxRSS*1024)))`;
/**
 * Far more than the program takes for a sound table, and far less than 10 MB of rows take as objects. Node 24 takes a
 * third more than Node 20, whose most is 190 MB.
 */
const MAX_BYTES = 320 << 20;

test.each<[string, string, string]>([
  ['short lines behind it', '1,a\n2,b\n3,"c\n', '1\n'.repeat(5_000_000)],
  ['blank lines behind it', '1,a\n2,b\n3,"c\n', '\n'.repeat(10_000_000)],
  ['lines with cells behind it', '1,a\n2,b\n3,"c\n', 'AD100,a\n'.repeat(1_200_000)],
  ['one line', '1,a\n2,b\n', `3,"${'","'.repeat(3_300_000)}`],
])('10 MB with a quote that is not closed, and %s', (_, start, rest) => {
  const [table, out] = [join(folderPath(), 'table.csv'), join(folderPath(), 'out.csv')];
  writeFileSync(table, `plz,n\n${start}${rest}`);
  const args = [compiled(), 'enrich', table, '--country', 'AD', '--snapshot', snapshotPath(), '--out', out];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', PEAK, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^Line 4 opens a quote that is not closed/m),
  });
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(MAX_BYTES);
  expect(readFileSync(out, 'utf8')).toContain('\n3,"');
});
