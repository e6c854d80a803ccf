/** Every file that is made from the route table, with its text. */
import { describeApi } from './openapi.js';
import type { Answerer } from './starter-answers.js';

/** By paths from the package's root. */
export function generateFiles(answer: Answerer): Map<string, string> {
  const document = describeApi(answer);
  return new Map([['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`]]);
}
