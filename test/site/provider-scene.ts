/** A provider on loopback and the site with accounts that trusts it, both made anew for each test. */

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { createTemporaryFolders } from '../keys/temporary-folders.js';
import type { AccountScene } from './account-scene.js';
import { createOidcProvider, type OidcProviderScene } from './oidc-provider-scene.js';
import { decodeEntities, SITE_URL } from './site-scene.js';

export const CALLBACK = '/account/provider/callback';

/** A test may replace `oidc` and `account` after it has stopped or closed what was there. */
export interface ProviderScene {
  readonly snapshot: Snapshot;
  oidc: OidcProviderScene;
  account: AccountScene;
  /** A new folder, gone after all tests of the file. */
  makeFolder(): string;
}

/** `createAccount` makes the site once the provider listens. Call this outside of tests. */
export function useProviderScene(createAccount: () => Promise<AccountScene>): ProviderScene {
  const folders = createTemporaryFolders();
  const scene = { makeFolder: () => folders.make() } as ProviderScene;
  beforeAll(async () => {
    Object.assign(scene, { snapshot: await openFixture(HAND_MADE_ROWS) });
  });
  beforeEach(async () => {
    scene.oidc = await createOidcProvider([SITE_URL + CALLBACK]);
    scene.account = await createAccount();
  });
  afterEach(async () => {
    await scene.account.close();
    // A test may have stopped it already.
    await scene.oidc.stop().catch(() => {});
  });
  afterAll(() => folders.clear());
  return scene;
}

/** What the form of the page sends. */
export function hiddenFieldsOf(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(inputs.map(([, name, value]) => [name as string, decodeEntities(value as string)]));
}
