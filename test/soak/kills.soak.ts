/** The tests of killed builds and publishers, with fifty and a hundred kills; SOAK_SEED chooses other moments. */
process.env.KILLED_BUILDS = '50';
process.env.KILLED_PUBLISHERS = '100';
await import('../build-index/building/interrupted-build.system.js');
await import('../build-index/publishing/publishing-processes.system.js');

export {};
