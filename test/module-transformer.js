/**
 * Compiles a module for Jest: swc strips the types, and the globals that the module uses become constants of the module.
 * Jest runs modules in a context of its own, in which each access to a global takes about half a microsecond, a hundred
 * times as long as outside: in tests that compute, half of the time.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import swcJest from '@swc/jest';

/** What no test replaces: Date, performance, process, timers, fetch and console stay globals. */
const GLOBALS = [
  ...['Array', 'BigInt', 'Boolean', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'RegExp', 'Set'],
  ...['String', 'Symbol', 'WeakMap', 'Intl', 'Buffer', 'ArrayBuffer', 'DataView', 'Int32Array', 'Uint8Array'],
  ...['Uint16Array', 'Uint32Array', 'Float64Array', 'BigUint64Array', 'TextDecoder', 'TextEncoder'],
  ...['decodeURIComponent', 'encodeURIComponent'],
];
const VERSION = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .digest('hex');

function bindGlobals(result) {
  const { code } = result;
  const isDeclared = (name) =>
    new RegExp(`\\b(?:class|const|function|let|var) ${name}\\b|\\bimport\\b[^;'"]*\\b${name}\\b[^;'"]*\\bfrom\\b`).test(
      code,
    );
  const names = GLOBALS.filter((name) => new RegExp(`\\b${name}\\b`).test(code) && !isDeclared(name));
  const binding = names.length === 0 ? '' : `const { ${names.join(', ')} } = globalThis; `;
  // At the start of a line, so that no line moves; the first line of a program may name its interpreter.
  return { ...result, code: code.replace(/^(?:#!.*\n)?/, (interpreter) => interpreter + binding) };
}

export default {
  createTransformer(options) {
    const swc = swcJest.createTransformer(options);
    return {
      ...swc,
      process: (...args) => bindGlobals(swc.process(...args)),
      processAsync: async (...args) => bindGlobals(await swc.processAsync(...args)),
      getCacheKey: (...args) => `${swc.getCacheKey(...args)}${VERSION}`,
    };
  },
};
