/** Types of synthetic-release.mjs for the tests, which are TypeScript. */

interface Shape {
  /** What is counted, and its figure. */
  figures(): [string, number][];
}

export interface Shapes {
  readonly real: Shape;
  readonly synthetic: Shape;
}

export function writeSyntheticRelease(
  release: string,
  folder: string,
  options: { rowCount: number; seed?: number },
): Promise<Shapes>;
