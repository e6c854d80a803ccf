/** Whether a module is the script that Node was started with, and not imported by another. Links are followed. */
import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** `moduleUrl` is the module's `import.meta.url`. */
export function isMainModule(moduleUrl: string): boolean {
  const script = process.argv[1];
  return script !== undefined && existsSync(script) && moduleUrl === pathToFileURL(realpathSync(script)).href;
}
