/** The module for web pages as the build makes it: small, alone, and said to be what it is. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';

/** Bytes as web servers send them: what a page pays for the elements. */
const MAX_GZIP_BYTES = 15_000;

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const module = read('dist/src/site/assets/postal-places.js');

test('it is at most 15 kB, compressed', () => {
  expect(gzipSync(module, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});

test('it names its version and the licences', () => {
  const { version } = JSON.parse(read('clients/web/package.json'));
  expect(module.split('\n', 1)[0]).toMatch(new RegExp(`^/\\*! Postal Places ${version}, MIT\\. .*CC BY 4\\.0`));
  expect(version).toBe(JSON.parse(read('package.json')).version);
});

test('it loads nothing and evaluates no text', () => {
  expect(module).not.toMatch(
    /\bimport\s*\(|\bfrom\s*["']|\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write/,
  );
});
