/** What the exit codes mean, for the help and docs/commands.md. */
import { EXIT } from '../src/expected-error.js';

export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'failed'],
  [EXIT.wrongUsage, 'wrong usage'],
  [EXIT.tooManyLost, 'a release that loses too many places'],
  [EXIT.nothingFound, 'nothing found'],
];
