/** Compiles countries of the release that ships with the package, by the program's own `build` in a process of its own. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { ExpectedError } from '../../base/errors.js';
import { packageProgramPath } from '../../base/package-root.js';
import { PACKAGED_SITE_URL, packagedRelease, worldRelease } from './packaged-release.js';

/** Set for a build that `buildPackaged` runs. */
const OWN_COMMAND_VARIABLE = 'POSTAL_PLACES_OWN_COMMAND';

/** Whether this process is a build that `buildPackaged` runs. */
export function isPackagedBuild(): boolean {
  return process.send !== undefined && process.env[OWN_COMMAND_VARIABLE] !== undefined;
}

export interface BuildOptions {
  /** Ends the build. */
  readonly stopping?: AbortSignal | undefined;
  /** Leaves the processors to everything else. */
  readonly isLowPriority?: boolean;
}

/**
 * Compiles the countries of the release, or all of them for null, to `out`, in a process that ends with this one. Rejects
 * with ExpectedError, whose message is that of `build`, and with the reason of `stopping`.
 */
export async function buildPackaged(
  out: string,
  countries: readonly string[] | null,
  { stopping, isLowPriority = false }: BuildOptions,
): Promise<void> {
  stopping?.throwIfAborted();
  const chosen = countries === null ? ['--release-name', worldRelease()] : ['--countries', countries.join()];
  const args = ['build', packagedRelease(), '--out', out, ...chosen, '--site-url', PACKAGED_SITE_URL, '--json'];
  // No options of this process: those of an evaluated script would not fit.
  const child = fork(packageProgramPath('cli/main.js'), args, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, [OWN_COMMAND_VARIABLE]: 'yes' },
  });
  const stop = (): void => void child.kill();
  stopping?.addEventListener('abort', stop);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  try {
    if (isLowPriority && child.pid !== undefined) yieldToOthers(child.pid);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    stopping?.throwIfAborted();
    if (code !== 0) throw new ExpectedError(signal === null ? lastLineOf(stderr) : describeKilled(signal));
  } finally {
    stopping?.removeEventListener('abort', stop);
  }
}

function yieldToOthers(pid: number): void {
  try {
    // The threads that it starts have its priority. With the lowest one it would come to nothing beside busy programs.
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    // Where memory is short, Linux ends this process, and none that serves.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended, and its end says why; or the system refuses, and it runs as every process.
  }
}

function describeKilled(signal: NodeJS.Signals): string {
  const isShort = ['SIGKILL', 'SIGABRT'].includes(signal);
  return `it was ended by ${signal}${isShort ? ', as happens where memory is short' : ''}`;
}

/** The message that a failed command ends with. */
function lastLineOf(stderr: string): string {
  const lines = stderr.trimEnd().split('\n');
  return (lines.findLast((line) => line.startsWith('postal-places: ')) ?? lines.at(-1) ?? '').replace(/^\S+: /, '');
}
