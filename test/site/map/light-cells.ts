/** Reads lights from a drawing. */

/** Column and row of each cell of the paths, which may be of several steps. */
export function cellsIn(svg: string): Set<string> {
  const cells = new Set<string>();
  for (const [, path] of svg.matchAll(/<path stroke="[^"]+" d="([^"]*)"/g)) {
    let [x, y] = [0, 0];
    for (const [, across, down, run] of (path as string).matchAll(/m(-?\d+) ?(-?\d+)h(\d+)/g)) {
      [x, y] = [x + Number(across), y + Number(down)];
      for (const end = x + Number(run); x < end; x++) cells.add(`${x} ${y}`);
    }
  }
  return cells;
}
