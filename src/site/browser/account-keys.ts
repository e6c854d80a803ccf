/** Asks the reader's account for its keys with their plans, and for one key in clear. */

export interface AccountKey {
  readonly id: string;
  readonly name: string;
  /** The plan and its limits in a sentence. */
  readonly plan: string;
}

interface AccountKeys {
  readonly keys: readonly AccountKey[];
  /** Whether the sign-in is recent enough to show a key. */
  readonly isFresh: boolean;
}

/** The site answers browsers with pages unless they ask for JSON. */
const JSON_ONLY = { accept: 'application/json' };

/** Empty if nobody is signed in. */
export async function readAccountKeys(): Promise<AccountKeys> {
  const response = await fetch('/account/keys', { headers: JSON_ONLY });
  return isJson(response) ? ((await response.json()) as AccountKeys) : { keys: [], isFresh: false };
}

/** The reader's publishable keys in clear; empty if nobody is signed in. */
export async function readPublishableKeys(): Promise<readonly { readonly name: string; readonly clearKey: string }[]> {
  const response = await fetch('/account/keys/publishable', { headers: JSON_ONLY });
  return isJson(response) ? (await response.json()).keys : [];
}

/** Undefined if the reader has to sign in again first. */
export async function revealKey(id: string): Promise<string | undefined> {
  const path = `/account/keys/${encodeURIComponent(id)}/reveal`;
  const response = await fetch(path, { method: 'POST', headers: JSON_ONLY });
  return isJson(response) ? ((await response.json()) as { readonly clearKey: string }).clearKey : undefined;
}

/** Undefined for a refusal, which is a page and no JSON. */
function isJson({ ok, headers }: Response): boolean {
  return ok && (headers.get('content-type') ?? '').startsWith('application/json');
}
