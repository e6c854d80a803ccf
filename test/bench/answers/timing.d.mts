/** Types of timing.mjs for the checks, which are TypeScript. */
export const WARM_UP: number;
export const TIMED: number;
