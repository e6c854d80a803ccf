/**
 * What test files run in: jest-environment-node, but with an ordinary global object. Jest's own is a proxy behind V8's
 * interceptors, and code that reads `Math` or `Uint8Array` there takes up to seventeen times as long.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;

export default class FastGlobalsEnvironment extends TestEnvironment {
  constructor(config, context) {
    // The constructor above takes no context, and makes one at once; it has no other use for this function.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
