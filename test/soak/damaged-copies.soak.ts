/** The test of damaged copies, with five times as many as `npm test` has time for. */
process.env.DAMAGED_COPIES = '10000';
await import('../service/damaged-copies.test.js');

export {};
