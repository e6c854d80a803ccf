/** Types of release-files.mjs for the tests, which are TypeScript. */
export function readCountryLines(release: string, country: string): Promise<string[]>;
export function writeCountryLines(folder: string, country: string, lines: Iterable<string>): Promise<void>;
