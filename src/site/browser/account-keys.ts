/** What the documents ask of the reader's account: the keys with their plans, and one of them in clear. */

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

/** Without keys where nobody is signed in. */
export async function readAccountKeys(): Promise<AccountKeys> {
  const response = await fetch('/account/keys', { headers: JSON_ONLY });
  return isJson(response) ? ((await response.json()) as AccountKeys) : { keys: [], isFresh: false };
}

/** The reader's publishable keys in clear; none where nobody is signed in. */
export async function readPublishableKeys(): Promise<readonly { readonly name: string; readonly clearKey: string }[]> {
  const response = await fetch('/account/keys/publishable', { headers: JSON_ONLY });
  return isJson(response) ? (await response.json()).keys : [];
}

/** Undefined where the account does not give the key: the reader has to sign in again. */
export async function revealKey(id: string): Promise<string | undefined> {
  const path = `/account/keys/${encodeURIComponent(id)}/reveal`;
  const response = await fetch(path, { method: 'POST', headers: JSON_ONLY });
  return isJson(response) ? ((await response.json()) as { readonly clearKey: string }).clearKey : undefined;
}

/** Refusals are pages. */
function isJson({ ok, headers }: Response): boolean {
  return ok && (headers.get('content-type') ?? '').startsWith('application/json');
}
