/** The tests of damaged snapshots and key stores, with ten times and thirty times as many copies as in `npm test`. */
process.env.DAMAGED_COPIES = '10000';
process.env.DAMAGED_STORES = '2000';
await import('../core/damaged-copies.test.js');
await import('../keys/records/records-check.test.js');

export {};
