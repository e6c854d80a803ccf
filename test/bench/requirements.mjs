/** What a benchmark needs of the machine before it starts. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Ends this process, with one line that says what is missing, unless the snapshot, the tools (each with its Debian
 * package) and two cores are there.
 */
export function requireForLoad(program, snapshot, tools) {
  const end = (message) => {
    process.stderr.write(`${program}: ${message}\n`);
    process.exit(2);
  };
  if (!existsSync(snapshot)) end(`there is no snapshot ${snapshot}; name one: npm run ${program} -- <snapshot>`);
  for (const [tool, debian] of Object.entries(tools)) {
    if (spawnSync(tool, ['--version']).error !== undefined) end(`${tool} is missing: apt-get install --yes ${debian}`);
  }
  if (availableParallelism() < 2) end('two cores are needed, one for the server and one for wrk');
}
