/**
 * The clients as the site hands them out: npm and pip install them from its address into an empty folder, where they find
 * what the server has; the page about them names their files, and a build makes the same bytes again.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot, packageVersion } from '../../src/base/package-root.js';
import { type ClientScene, createClientScene } from '../clients/client-scene.js';
import { createTemporaryFolder, openFixture, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { createSite, SITE_URL, type SiteScene } from '../site/site-scene.js';

const run = promisify(execFile);
const TGZ = 'postal-places-client.tgz';
const WHL = `postal_places_client-${packageVersion()}-py3-none-any.whl`;
const bytesOf = (name: string): Buffer => readFileSync(join(packageRoot(), 'dist/src/site/assets', name));
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let api: ClientScene;
let site: SiteScene;
let origin: string;
let folder: TemporaryFolder;
beforeAll(async () => {
  [api, site] = await Promise.all([
    createClientScene(),
    openFixture({ LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]] }).then((snapshot) => createSite(snapshot)),
  ]);
  origin = await site.listen();
  folder = createTemporaryFolder();
});
afterAll(async () => {
  await Promise.all([api?.stop(), site?.close()]);
  folder?.remove();
});

/** A point in Konstanz, Germany: the centre of Liechtenstein is nearer than that of Germany. */
const [LAT, LNG] = [47.66, 9.18];

test('npm installs the .tgz, whose reverse looks in the country that contains the point', async () => {
  const cwd = join(folder.path, 'npm');
  mkdirSync(cwd);
  const url = `${origin}/docs/clients/${TGZ}`;
  // Nothing but the file is asked for: the registry is an address where nobody listens.
  const options = ['--registry=http://127.0.0.1:9', '--no-audit', '--no-fund', '--no-update-notifier'];
  await run('npm', ['install', url, ...options, `--cache=${join(folder.path, 'cache')}`], { cwd });
  const script = `import { PostalPlaces } from 'postal-places-client';
    const client = new PostalPlaces({ baseUrl: process.argv[2], apiKey: process.argv[3] });
    const at = { lat: ${LAT}, lng: ${LNG} };
    const found = await Promise.all([client.reverse(at), client.reverse({ ...at, country: 'CH' })]);
    console.log(found.map(({ place }) => place.countryCode).join());`;
  writeFileSync(join(cwd, 'use.mjs'), script);
  const { stdout } = await run(process.execPath, ['use.mjs', api.url, api.key], { cwd });
  expect(stdout).toBe('DE,CH\n');
});

describe('python', () => {
  const script = `import sys
from postal_places import PostalPlaces
client = PostalPlaces(sys.argv[1], sys.argv[2])
found = [client.reverse(${LAT}, ${LNG}), client.reverse(${LAT}, ${LNG}, country="CH")]
print(",".join(one["place"]["countryCode"] for one in found))`;

  /** -S: no packages but those of Python and of the one folder or file. */
  const call = async (path: string): Promise<string> => {
    const env = { ...process.env, PYTHONPATH: path };
    return (await run('python3', ['-S', '-B', '-c', script, api.url, api.key], { env })).stdout;
  };

  test('the .whl has files with the digests that it lists, no more and no less, and works as it is', async () => {
    const path = join(folder.path, WHL);
    const { body } = await fetchBytes(`${origin}/docs/clients/${WHL}`);
    writeFileSync(path, body);
    const list = `import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
[record] = [name for name in names if name.endswith("/RECORD")]
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert [row[0] for row in rows] == names, names
for name, digest, size in rows:
    data = wheel.read(name)
    found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert name == record or (digest, int(size)) == (found, len(data)), name
print("".join(name + "\\n" for name in names if not name.startswith("postal_places/")), end="")`;
    const { stdout } = await run('python3', ['-c', list, path]);
    const about = `postal_places_client-${packageVersion()}.dist-info`;
    const files = ['LICENSE', 'METADATA', 'WHEEL', 'top_level.txt', 'RECORD'];
    expect(stdout.trimEnd().split('\n')).toEqual(files.map((name) => `${about}/${name}`));
    expect(await call(path)).toBe('DE,CH\n');
  });

  test('pip installs it and checks its checksum, where pip is', async () => {
    // Debian has python3 without pip; the test above needs python3 alone.
    const pip = await run('python3', ['-m', 'pip', '--version']).catch((error: Error) => error);
    if (pip instanceof Error) {
      expect(String(pip)).toContain('No module named pip');
      return;
    }
    const url = `${origin}/docs/clients/${WHL}`;
    const target = join(folder.path, 'pip');
    const install = (sum: string): Promise<unknown> =>
      run('python3', [
        '-m',
        'pip',
        'install',
        '--no-index',
        '--no-cache-dir',
        '--target',
        target,
        `${url}#sha256=${sum}`,
      ]);
    await expect(install('0'.repeat(64))).rejects.toThrow();
    await install(sha256(bytesOf(WHL)));
    expect(await call(target)).toBe('DE,CH\n');
  });
});

describe('the site', () => {
  test.each([
    [TGZ, 'application/gzip'],
    [WHL, 'application/zip'],
  ])('hands out %s with its type, a tag and a lifetime', async (name, type) => {
    const { body, headers } = await fetchBytes(`${origin}/docs/clients/${name}`);
    expect(body.equals(bytesOf(name))).toBe(true);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=3600');
    const etag = headers.get('etag') ?? '';
    const again = await fetch(`${origin}/docs/clients/${name}`, { headers: { 'if-none-match': etag } });
    expect([etag === '', again.status]).toEqual([false, 304]);
  });

  test.each(['icon.svg', 'none.whl', '%2e%2e%2fpackage.json', 'postal-places-client.tgz%00'])(
    'has no %s among the clients',
    async (name) => {
      expect((await site.get(`/docs/clients/${name}`)).status).not.toBe(200);
    },
  );

  test('names the files of its own version with their checksums on the page, at its own address', async () => {
    const { text } = await site.get('/docs/clients');
    for (const name of [TGZ, WHL]) {
      expect(text).toContain(`install ${SITE_URL}/docs/clients/${name}`);
      expect(text).toContain(`<a href="/docs/clients/${name}">${name}</a>`);
      expect(text).toContain(`<code>${sha256(bytesOf(name))}</code>`);
    }
    expect((await site.get('/docs/calls')).text).not.toContain(sha256(bytesOf(TGZ)));
  });
});

test('the documents name the file of this version', () => {
  for (const path of ['docs/clients.md', 'clients/python/README.md']) {
    expect(readFileSync(join(packageRoot(), path), 'utf8')).toContain(`/docs/clients/${WHL}`);
  }
});

test('another packing makes the same bytes, in another time zone too', async () => {
  const [tgz, again] = ['compiled', 'again'].map((name) => join(folder.path, name)) as [string, string];
  for (const path of [tgz, again]) mkdirSync(path);
  // What is compiled is what the .tgz has.
  await run('tar', ['-xzf', join(packageRoot(), 'dist/src/site/assets', TGZ), '-C', tgz]);
  const script = `const [root, compiled, target] = process.argv.slice(1);
    (await import(root + '/scripts/client-packages.js')).packClients(root, compiled, target);`;
  const args = ['--input-type=module', '--eval', script, packageRoot(), join(tgz, 'package/dist'), again];
  await run(process.execPath, args, { env: { ...process.env, TZ: 'Asia/Tokyo' } });
  for (const name of [TGZ, WHL]) expect(sha256(readFileSync(join(again, name)))).toBe(sha256(bytesOf(name)));
});

async function fetchBytes(url: string): Promise<{ readonly body: Buffer; readonly headers: Headers }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { body: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}
