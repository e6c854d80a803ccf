/** The site as a child of the process that `npm start` runs: it ends with that process, and tells where it listens. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { StartError } from '../src/serving/start-error.js';

export interface SiteProcess {
  readonly siteUrl: string;
  /** Resolves when it has ended. */
  close(): Promise<void>;
}

/** Its lines go where this process's lines go. Throws StartError where it ends before it listens; it has said why. */
export async function startSiteProcess(environment: NodeJS.ProcessEnv): Promise<SiteProcess> {
  const child = fork(join(packageRoot(), 'dist/src/site/main.js'), { env: environment });
  const ended = once(child, 'exit');
  const siteUrl = await Promise.race([firstMessage(child), ended.then(() => undefined)]);
  if (siteUrl === undefined) throw new StartError('the site did not start');
  return {
    siteUrl,
    async close() {
      // Not by a signal: it may have come to both, and a second one would cut short what is under way.
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

async function firstMessage(child: ChildProcess): Promise<string> {
  const [{ siteUrl }] = (await once(child, 'message')) as [{ siteUrl: string }];
  return siteUrl;
}
