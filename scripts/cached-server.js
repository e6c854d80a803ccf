/** For code-cache.js: the server, which writes its code cache when it is told to, and ends. */
import { writeFileSync } from 'node:fs';
import loader from '../dist/src/bundle-loader.cjs';

const { programs, createCache } = loader.loadForCache();
process.once('message', () => {
  writeFileSync(loader.CACHE, createCache());
  process.disconnect();
});
programs.main();
