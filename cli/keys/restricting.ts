/** The options that bind a publishable key, for `create` and `update`, and the command `update`. */

import { InvalidValueError } from '../../src/expected-error.js';
import { restrict } from '../../src/keys/key-changes.js';
import {
  DEFAULT_VISITOR_RATE,
  parseRestrictions,
  type Restrictions,
  type VisitorRate,
} from '../../src/keys/restrictions.js';
import type { CommandContext, CommandOutput } from './command-context.js';
import { describeRecord } from './key-text.js';

export interface RestrictionOptions {
  readonly origin?: readonly string[];
  /** Names of operations. */
  readonly only?: readonly string[];
  readonly visitorRate?: VisitorRate;
}

/** The restrictions of a new key; undefined for a secret key. Throws InvalidValueError. */
export async function createRestrictions(options: RestrictionOptions): Promise<Restrictions | undefined> {
  const { origin, only, visitorRate = DEFAULT_VISITOR_RATE } = options;
  if (origin === undefined && only === undefined && options.visitorRate === undefined) return undefined;
  if (origin === undefined || only === undefined) {
    throw new InvalidValueError(
      'a publishable key needs --origin <origin> and --only <operations>: the web pages that may use it, and for what',
    );
  }
  return parseRestrictions({ origins: origin, operations: await operationsOf(only), visitorRate });
}

/** Changes what was given of a publishable key's restrictions. */
export async function updateKey(
  { nowMs, useStore }: CommandContext,
  id: string,
  { origin, only, visitorRate }: RestrictionOptions,
): Promise<CommandOutput> {
  if (origin === undefined && only === undefined && visitorRate === undefined) {
    throw new InvalidValueError('keys update needs --origin <origin>, --only <operations> or --visitor-rate <rate>');
  }
  const change = {
    ...(origin !== undefined && { origins: origin }),
    ...(only !== undefined && { operations: await operationsOf(only) }),
    ...(visitorRate !== undefined && { visitorRate }),
  };
  const record = await useStore(({ directory }) => directory.change(id, (old) => restrict(old, change)));
  return { json: record, text: `${describeRecord(record, nowMs)}\nThis holds for it from now on.\n` };
}

/** The table of routes is loaded only where it is needed. */
async function operationsOf(names: readonly string[]): Promise<readonly string[]> {
  const { parseKeyOperations } = await import('../../src/api/key-operations.js');
  return parseKeyOperations(names);
}
