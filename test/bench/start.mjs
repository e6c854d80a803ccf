/**
 * `npm run bench:start`: what a reader waits for after `npm start` in a fresh clone of the last commit, with its packages
 * installed: seconds to the first answer of the API, and to the world in service; and the same for the next start.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT, startTable } from './measuring.mjs';

/** Codes of seven countries: a fresh clone has them all. */
const CODES = ['DE/10115', 'FR/75008', 'PL/00-002', 'GB/SW1A', 'US/90210', 'KR/06236', 'IS/101'];
/** The longest wait for anything, milliseconds: many times what a start takes. */
const LIMIT_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'postal-bench-'));
try {
  const clone = join(folder, 'clone');
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', ROOT, clone], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const table = startTable(['', 'first answer s', 'world in service s']);
  for (const name of ['first start', 'next start']) table.row([name, ...(await measure(clone))]);
  table.end();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(cwd) {
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  const env = { ...process.env, PORT: '0', SITE_PORT: '0', XDG_CACHE_HOME: join(folder, 'cache') };
  const program = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const find = async (pattern) => {
    while (!pattern.test(text)) {
      if (program.exitCode !== null || performance.now() - startedAt > LIMIT_MS)
        throw new Error(`no ${pattern}: ${text}`);
      await wait(20);
    }
    return pattern.exec(text)[1];
  };
  try {
    const origin = await find(/Postal Places listens on (\S+)/);
    const headers = { 'x-api-key': await find(/Demo key: (\S+)/) };
    const ask = async (code) => {
      const [country, postcode] = code.split('/');
      return (await fetch(`${origin}/v1/countries/${country}/postcodes/${postcode}`, { headers })).status;
    };
    if ((await ask(CODES[0])) !== 200) throw new Error(`no answer for ${CODES[0]}`);
    const answered = seconds();
    await find(/(All \d+ countries are in service)/);
    const whole = seconds();
    for (const code of CODES) if ((await ask(code)) !== 200) throw new Error(`no answer for ${code}`);
    return [answered, whole];
  } finally {
    program.kill();
    while (program.exitCode === null && program.signalCode === null) await wait(20);
  }
}
