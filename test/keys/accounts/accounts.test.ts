/** Accounts over the embedded store and over Redis. */

import { afterAll, describe } from '@jest/globals';
import { embeddedStore, redisStore, startOneRedis } from '../decision/key-store-scene.js';
import { createTemporaryFolders } from '../temporary-folders.js';
import { describeAccounts } from './account-contract.js';

const folders = createTemporaryFolders();
afterAll(() => folders.clear());

describeAccounts('accounts over the embedded store', embeddedStore(folders));
describe('over Redis', () => describeAccounts('accounts in one Redis', redisStore(startOneRedis)));
