/** The test of the starter dataset's pages, with five times as many as in `npm test`. */
process.env.SITE_URLS = '10000';
await import('../site/starter-site.system.js');

export {};
