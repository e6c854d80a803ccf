/**
 * A lookup of the library, answered by the table of routes: the text of the answer's `data`. Routes are bound when their
 * first lookup comes.
 */
import { statusOfCode } from '../api/error-codes.js';
import { bindLookup, type LookUp, type Lookup } from '../api/lookup.js';
import { describeRelease } from '../service/describe-release.js';
import { DomainError } from '../service/domain-error.js';
import { readResponseData } from '../service/response-data.js';
import { type Service, service } from '../service/service.js';
import { decodeUtf8 } from '../store/byte-string.js';
import { oncePer } from '../store/once-per.js';
import type { Snapshot } from '../store/snapshot.js';
import { InvalidArgumentError } from './errors.js';

const lookUps = new Map<string, LookUp>();

const releaseText = oncePer((snapshot: Snapshot) => decodeUtf8(describeRelease(snapshot)));

/** Undefined for what does not exist: the API's 404. Throws InvalidArgumentError. */
export function findText(snapshot: Snapshot, operation: string, parameters: Lookup): string | undefined {
  try {
    return getText(snapshot, operation, parameters);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] === 404) return undefined;
    throw new InvalidArgumentError(error.message, error.details ?? []);
  }
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
