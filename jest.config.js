/** Jest runs the TypeScript sources as native ES modules; swc only strips the types. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } }],
  },
  reporters: ['default', '<rootDir>/test/summary-reporter.js'],
  testTimeout: 120_000,
  // Many tests wait for processes and clocks: one worker for each core, not one less.
  maxWorkers: '100%',
};
