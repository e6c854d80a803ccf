/** When sources changed last, so that a script builds again only what is older. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The time in milliseconds when one of the files, or a file in one of the folders, was changed last; 0 without any. */
export function newestChange(root, names) {
  return Math.max(0, ...names.map((name) => changeOf(join(root, name))));
}

function changeOf(path) {
  if (!existsSync(path)) return 0;
  if (statSync(path).isFile()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !isCompiled(entry),
  );
  return Math.max(0, ...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

/** Tests compile the client of TypeScript beside its sources. */
function isCompiled({ parentPath }) {
  return /[\\/](?:dist|node_modules)(?:[\\/]|$)/.test(parentPath);
}
