/**
 * The file that a build writes to before it takes its final name: ".<name>.<process id>.partial" in the same folder.
 * What a killed build left behind is removed by the next build of the same name, by its process id.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export function partialPath(finalPath: string): string {
  return join(dirname(finalPath), `.${basename(finalPath)}.${process.pid}.partial`);
}

/** The folder for what a build sets aside until its end, removed along with the partial file. */
export function scratchFolder(partial: string): string {
  return `${partial}.countries`;
}

/** Removes partial files and folders of builds of `finalPath` whose process has ended, and this process's own. */
export function removeStalePartials(finalPath: string): void {
  const prefix = `.${basename(finalPath)}.`;
  for (const name of readdirSync(dirname(finalPath))) {
    const processId = Number(
      /^(\d+)\.partial(?:\.countries)?$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '')?.[1],
    );
    if (processId === process.pid || (processId > 0 && !isRunning(processId))) {
      rmSync(join(dirname(finalPath), name), { force: true, recursive: true });
    }
  }
}

/** Gives the finished file its name, in one step, and makes the name last through a power cut. */
export function publishPartial(partial: string, finalPath: string): void {
  renameSync(partial, finalPath);
  const folder = openSync(dirname(finalPath), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
