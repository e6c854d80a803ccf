/**
 * Photon's clients, unchanged, on the server over the starter dataset: geopy, and leaflet-control-geocoder in a browser.
 * None of them sends a key: the server lets this machine's network call.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { readProgramSettings } from '../../src/process/program/settings.js';
import { type ApiProcess, serveApi } from '../../src/process/serving/serve-api.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { openPage } from '../site/browser-scene.js';

let folder: TemporaryFolder;
let api: ApiProcess;
let host: string;
beforeAll(async () => {
  folder = createTemporaryFolder();
  const environment = { KEYS_DIR: join(folder.path, 'keys'), PORT: '0', PHOTON: 'on', KEYLESS: '127.0.0.0/8' };
  api = await serveApi(readProgramSettings(environment), await sharedStarterSnapshot(), silentLogger);
  host = `127.0.0.1:${api.port}`;
});
afterAll(async () => {
  await api?.stop();
  folder?.remove();
});

async function run(program: string, ...args: string[]): Promise<unknown> {
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', LANG: 'C.UTF-8' };
  const { stdout } = await promisify(execFile)(program, args, { env });
  return JSON.parse(stdout);
}

const PYTHON = `
import json, sys
from geopy.geocoders import Photon
photon = Photon(domain=sys.argv[1], scheme='http', timeout=60)
told = lambda place: place and [place.address, place.latitude, place.longitude]
print(json.dumps({
  'point': told(photon.reverse((52.52, 13.405), language='en')),
  'several': len(photon.reverse('52.52, 13.405', exactly_one=False, limit=3)),
  'name': told(photon.geocode('berlin', language='en', location_bias=(52.5, 13.4))),
  'tagged': photon.geocode('berlin', osm_tag=['amenity:pharmacy']),
  'boxed': told(photon.geocode('berlin', bbox=[(52, 13), (53, 14)])),
  'sea': told(photon.reverse((-45, -120))),
}))
`;

test("Python's geopy", async () => {
  const told = (await run('/usr/bin/python3', '-c', PYTHON, host)) as Record<string, unknown>;
  expect(told).toMatchObject({ several: 3, tagged: null, sea: null });
  expect(told.point).toEqual([
    expect.stringMatching(/Berlin, .*Germany$/),
    expect.closeTo(52.5, 0),
    expect.closeTo(13.4, 0),
  ]);
  expect(told.name).toEqual([
    expect.stringMatching(/^Berlin, .*Germany$/),
    expect.closeTo(52.5, 0),
    expect.closeTo(13.4, 0),
  ]);
  expect(told.boxed).toEqual([expect.stringMatching(/^Berlin, /), expect.any(Number), expect.any(Number)]);
});

interface Result {
  readonly name: string;
  readonly center: { readonly lat: number };
  readonly bbox: { contains(point: object): boolean };
}

interface LeafletGlobal {
  readonly L: {
    readonly Control: {
      readonly Geocoder: {
        photon(options: object): {
          geocode(query: string): Promise<Result[]>;
          reverse(point: object, scale: number): Promise<Result[]>;
        };
      };
    };
  };
}

test('leaflet-control-geocoder in a browser, on a page of another origin', async () => {
  const page = await openPage();
  // A page of this machine: browsers let no other page ask loopback.
  const pages = createServer(
    (_request, response) => void response.setHeader('content-type', 'text/html').end('<title>Map</title>'),
  );
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/favicon.ico`);
  for (const name of ['leaflet/dist/leaflet.js', 'leaflet-control-geocoder/dist/Control.Geocoder.js']) {
    await page.addScriptTag({ content: readFileSync(join(packageRoot(), 'node_modules', name), 'utf8') });
  }
  const found = await page.evaluate(async (origin) => {
    const { L } = globalThis as unknown as LeafletGlobal;
    const geocoder = L.Control.Geocoder.photon({ serviceUrl: `${origin}/api/`, reverseUrl: `${origin}/reverse/` });
    const told = (results: readonly Result[]) =>
      results.map(({ name, center, bbox }) => [name, center.lat, bbox.contains(center)]);
    return {
      names: told(await geocoder.geocode('berlin')),
      units: told(await geocoder.geocode('bayern')),
      points: told(await geocoder.reverse({ lat: 52.52, lng: 13.405 }, 1e5)),
    };
  }, `http://${host}`);
  const berlin = [expect.stringMatching(/Berlin, .*Germany$/), expect.closeTo(52.5, 0), true];
  expect(found.names[0]).toEqual(berlin);
  expect(found.units[0]).toEqual([expect.stringMatching(/^Bayern, /), expect.closeTo(49, 0), true]);
  expect(found.points).toEqual([berlin]);
  pages.closeAllConnections();
  pages.close();
});
