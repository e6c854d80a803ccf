/** Before each test file of the second project of jest.config.js: Node keeps its internals elsewhere. */
import { usePublicApiOnly } from '../../src/server/node-internals.js';

usePublicApiOnly();
