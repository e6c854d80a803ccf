/** The test of damaged copies, with ten times as many as in `npm test`. */
process.env.DAMAGED_COPIES = '10000';
await import('../service/damaged-copies.test.js');

export {};
