/**
 * The clients as files that npm and pip install: a .tgz as `npm pack` makes it, and a .whl as the wheel format 1.0 has it
 * (packaging.python.org, "Binary distribution format"). The bytes depend on nothing but the sources, the compiler and the
 * packer: times, modes and order are fixed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zipSync } from 'fflate';
import { createTar } from 'nanotar';

/** Of every file in the .tgz, in milliseconds since 1970: what npm writes, 1985-10-26 08:15 UTC. */
const TAR_TIME = 499_162_500_000;
/** Of every file in the .whl, the first that zip files can tell. It is local time, which is what zip files hold. */
const ZIP_TIME = new Date(1980, 0, 1);
/** Of every file in the .whl: the mode rw-r--r-- of a plain file of Unix, in the upper half as zip files hold it. */
const ZIP_ATTRIBUTES = (0o100644 << 16) >>> 0;
const UNIX = 3;

/** Writes both files into `target`; `compiled` has the compiled TypeScript client. */
export function packClients(root, compiled, target) {
  writeFileSync(join(target, 'postal-places-client.tgz'), packTypescript(join(root, 'clients/typescript'), compiled));
  const { name, bytes } = packPython(join(root, 'clients/python'));
  writeFileSync(join(target, name), bytes);
}

function packTypescript(folder, compiled) {
  const files = ['LICENSE', 'README.md', 'package.json'].map((name) => ({
    name,
    data: readFileSync(join(folder, name)),
  }));
  for (const name of readdirSync(compiled))
    files.push({ name: `dist/${name}`, data: readFileSync(join(compiled, name)) });
  files.sort(byName);
  const attrs = { mode: '644', uid: 0, gid: 0, mtime: TAR_TIME };
  const entries = files.map(({ name, data }) => ({ name: `package/${name}`, data }));
  return gzipSync(createTar(entries, { attrs }), { level: 9, mtime: 0 });
}

function packPython(folder) {
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  const fieldOf = (key) => {
    const [, value] = new RegExp(`^${key} = "(.*)"$`, 'm').exec(project) ?? [];
    if (value === undefined) throw new Error(`clients/python/pyproject.toml has no ${key}`);
    return value;
  };
  const version = fieldOf('version');
  const distribution = fieldOf('name').replaceAll('-', '_');
  const about = `${distribution}-${version}.dist-info`;
  const read = (name) => readFileSync(join(folder, name));
  const modules = readdirSync(join(folder, 'postal_places')).filter((name) => /\.(py|typed)$/.test(name));
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${fieldOf('name')}`,
    `Version: ${version}`,
    `Summary: ${fieldOf('description')}`,
    'License: MIT',
    `Requires-Python: ${fieldOf('requires-python')}`,
    'Description-Content-Type: text/markdown',
    'License-File: LICENSE',
    '',
    read('README.md'),
  ].join('\n');
  const wheel = 'Wheel-Version: 1.0\nGenerator: postal-places\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const files = [
    ...modules.map((name) => ({ name: `postal_places/${name}`, data: read(`postal_places/${name}`) })),
    { name: `${about}/LICENSE`, data: read('LICENSE') },
    { name: `${about}/METADATA`, data: Buffer.from(metadata) },
    { name: `${about}/WHEEL`, data: Buffer.from(wheel) },
    { name: `${about}/top_level.txt`, data: Buffer.from('postal_places\n') },
  ].sort(byName);
  const lines = files.map(({ name, data }) => `${name},sha256=${digestOf(data)},${data.length}\n`);
  // The format asks for the list at the end of the file, and for no digest of the list itself.
  files.push({ name: `${about}/RECORD`, data: Buffer.from(`${lines.join('')}${about}/RECORD,,\n`) });
  const options = { level: 9, mtime: ZIP_TIME, os: UNIX, attrs: ZIP_ATTRIBUTES };
  const bytes = zipSync(Object.fromEntries(files.map(({ name, data }) => [name, data])), options);
  return { name: `${distribution}-${version}-py3-none-any.whl`, bytes };
}

function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}

function digestOf(data) {
  return createHash('sha256').update(data).digest('base64url');
}
