/**
 * What `postal-places site` runs, the public website: pages for people, over the snapshot that the API serves, in a
 * process and at an address of its own. A program that started it as its child is told where it listens, and takes it
 * along when it ends.
 */
import { runProgram } from '../process/program.js';
import { readSiteSettings } from './site-settings.js';
import { startSite } from './start-site.js';

/** Resolves once the site listens, or can't. */
export async function serveSite(): Promise<void> {
  const running = await runProgram(async (stopping) => startSite(readSiteSettings(process.env), stopping));
  // A parent may have ended during the start.
  if (running !== undefined && process.connected) process.send?.({ siteUrl: running.siteUrl, port: running.port });
}
