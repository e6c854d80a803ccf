/** With `node --import`: writes the address of each module that a program loads into the file LOADED_MODULES. */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.LOADED_MODULES, `${url}\n`);
  return await nextLoad(url, context);
}
