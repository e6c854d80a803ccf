/** Types of join.mjs for the checks, which are TypeScript. */

export function commandsOfDocument(snapshot: string): string[][];
