/**
 * A lookup of the library, answered by the table of routes: the text of the answer's `data`. Routes are bound when their
 * first lookup comes.
 */
import { statusOfCode } from '../api/error-codes.js';
import { bindLookup, type LookUp, type Lookup } from '../api/lookup.js';
import { routeOf } from '../api/routes.js';
import { describeRelease } from '../service/describe-release.js';
import { DomainError, type ParameterFault } from '../service/domain-error.js';
import { readResponseData } from '../service/response-data.js';
import { type Service, service } from '../service/service.js';
import { decodeUtf8 } from '../store/byte-string.js';
import { oncePer } from '../store/once-per.js';
import type { Snapshot } from '../store/snapshot.js';
import { type ArgumentCheck, createArgumentCheck } from './argument-check.js';
import { InvalidArgumentError } from './errors.js';

const lookUps = new Map<string, LookUp>();

const argumentChecks = new Map<string, ArgumentCheck>();

const releaseText = oncePer((snapshot: Snapshot) => decodeUtf8(describeRelease(snapshot)));

/** Undefined for what does not exist: the API's 404. Throws InvalidArgumentError, also for a misspelt option alone. */
export function findText(snapshot: Snapshot, operation: string, parameters: Lookup): string | undefined {
  if (operation === 'getRelease') return releaseText(snapshot);
  const { listNoTexts, listMisspelt } = argumentCheckOf(operation);
  refuse(listNoTexts(parameters));
  let text: string | undefined;
  try {
    text = getText(snapshot, operation, parameters);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] !== 404) throw new InvalidArgumentError(error.message, error.details ?? []);
  }
  refuse(listMisspelt(parameters));
  return text;
}

function argumentCheckOf(operation: string): ArgumentCheck {
  let check = argumentChecks.get(operation);
  if (check === undefined) {
    check = createArgumentCheck(routeOf(operation as keyof Service).parameters);
    argumentChecks.set(operation, check);
  }
  return check;
}

function refuse(faults: readonly ParameterFault[]): void {
  if (faults[0] !== undefined) throw new InvalidArgumentError(faults[0].message, faults);
}

/** The same; throws DomainError, whose message says what does not exist. */
export function getText(snapshot: Snapshot, operation: string, parameters: Lookup): string {
  if (operation === 'getRelease') return releaseText(snapshot);
  let lookUp = lookUps.get(operation);
  if (lookUp === undefined) {
    lookUp = bindLookup(operation as keyof Service, service);
    lookUps.set(operation, lookUp);
  }
  return readResponseData(lookUp(snapshot, joinLists(parameters)));
}

/** A list of texts is one text with commas, as a URL has it. Anything else stays as it is, to be refused. */
function joinLists(parameters: Lookup): Lookup {
  let joined: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) continue;
    joined ??= { ...parameters };
    joined[name] = value.join();
  }
  return joined ?? parameters;
}
