/** For code-cache.js: the server, which writes its code cache when it is told to, and ends. */
import { writeFileSync } from 'node:fs';
import { CACHE, loadForCache } from '../dist/src/bundle-loader.js';

const { programs, createCache } = loadForCache();
process.once('message', () => {
  writeFileSync(CACHE, createCache());
  process.disconnect();
});
programs.main();
