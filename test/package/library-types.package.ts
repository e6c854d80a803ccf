/** What the package exports, with its types: for programs of both ways in which TypeScript resolves packages. */

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

let folder: TemporaryFolder;
let packed: string[];
beforeAll(() => {
  folder = createTemporaryFolder();
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const stdout = execFileSync('npm', args, {
    cwd: packageRoot(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  const installed = join(folder.path, 'node_modules/postal-places');
  for (const file of ['package.json', ...packed.filter((path) => path.endsWith('.d.ts'))]) {
    cpSync(join(packageRoot(), file), join(installed, file));
  }
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'use.ts'), USE);
});
afterAll(() => folder?.remove());

/** Every line must be right or wrong as it says, for a strict compiler without the types of Node. */
const USE = `
import {
  ClosedError, DamagedError, InvalidArgumentError, OpenError, open,
  type NearbyPostcode, type Places, type PostcodePlaces, type Suggestion, type SuggestOptions,
} from 'postal-places';

export async function use(): Promise<void> {
  const places: Places = await open('world.snapshot', { watch: true });
  const found: PostcodePlaces | undefined = places.postcode('DE', '10115', { include: ['codes', 'bounds'] });
  const text: string | undefined = places.json.postcode('DE', '10115');
  const options: SuggestOptions = { country: ['DE', 'AT'], limit: 5, kinds: ['place', 'postcode'] };
  const suggestions: Suggestion[] | undefined = places.suggest('münch', options);
  const codes: NearbyPostcode[] | undefined = places.nearby({ lat: 1, lng: 2 }, { by: 'postcode', radiusKm: 5 });
  const name: string | undefined = places.nearby({ country: 'DE', postcode: '10115' })?.[0]?.place.name;
  const release: string = places.release.name;
  const json: string = places.json.release;
  places.on('release', ({ previousRelease }) => void previousRelease).on('error', ({ code }) => void code);
  const faults: readonly { param: string }[] = new InvalidArgumentError('', []).details;
  const codesOfErrors: ('CLOSED' | 'DAMAGED' | 'OPEN_FAILED' | 'NO_PACKAGED_DATA')[] = [
    new ClosedError().code, new DamagedError('').code, new OpenError('').code,
  ];
  // @ts-expect-error undefined is possible
  places.postcode('DE', '10115').places;
  // @ts-expect-error a country is needed
  places.postcode('10115');
  // @ts-expect-error there is no such option
  places.suggest('münch', { limt: 5 });
  // @ts-expect-error there is no such kind
  places.suggest('münch', { kinds: 'foo' });
  // @ts-expect-error a page is a number
  places.children('DE', 'id', { page: '1' });
  // @ts-expect-error there is no such event
  places.on('reload', () => {});
  // @ts-expect-error a centre is a position, a code or a place
  places.nearby({ country: 'DE' });
  await places.close();
  void [found, text, suggestions, codes, name, release, json, faults, codesOfErrors];
}
`;

test.each([
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])('its types are right for moduleResolution %s', (resolution, module) => {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', '', '--target', 'es2022'];
  const args = [compiler, ...options, '--module', module, '--moduleResolution', resolution, 'use.ts'];
  const check = (): string =>
    execFileSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', stdio: 'pipe' });
  expect(check).not.toThrow();
});

test('it has the types of the library and no others', () => {
  const types = packed.filter((path) => path.endsWith('.d.ts')).sort();
  expect(types).toEqual([
    ...['error-codes', 'types'].map((name) => `dist/clients/typescript/src/${name}.d.ts`),
    ...['errors', 'index', 'lookups', 'open', 'places'].map((name) => `dist/src/library/${name}.d.ts`),
  ]);
  for (const path of types) expect(packed).toContain(path.replace('.d.ts', '.js'));
});
