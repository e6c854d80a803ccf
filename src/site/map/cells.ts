/**
 * The cells of points: the area that is nearer to a point than to any other (a Voronoi diagram), where neighbouring cells
 * of one group are a single area. Its corners are the middles of the circles around the triangles of Delaunay's
 * triangulation. A half-edge leads from one point of a triangle to the next; where the two belong to different groups, the
 * border between their areas crosses it.
 */

import Delaunator from 'delaunator';

/** Sides of the square of far points around the others, in units of the drawing's size: so that every cell has an end. */
const FAR = 3;

/**
 * The areas of each group as rings, x and y of each corner one after the other. `groups` has the number of each point's
 * group, from 0 to `groupCount`. Points at one place have one cell, that of the first. Corners may lie outside of the drawing.
 */
export function drawCells(
  points: ArrayLike<number>,
  groups: ArrayLike<number>,
  groupCount: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly (readonly number[])[][] {
  const count = groups.length;
  const all = new Float64Array(count * 2 + 16);
  all.set(points);
  const [left, right, top, bottom] = [-FAR * width, (FAR + 1) * width, -FAR * height, (FAR + 1) * height];
  const [x, y] = [width / 2, height / 2];
  all.set([left, top, x, top, right, top, right, y, right, bottom, x, bottom, left, bottom, left, y], count * 2);
  const { triangles, halfedges } = new Delaunator(all);
  const groupAt = (edge: number): number => {
    const point = triangles[edge] as number;
    return point < count ? (groups[point] as number) : -1;
  };
  const isBorder = (edge: number): boolean => groupAt(edge) !== groupAt(nextEdge(edge));
  const rings: (readonly number[])[][] = Array.from({ length: groupCount }, () => []);
  const visited = new Uint8Array(triangles.length);
  for (let first = 0; first < triangles.length; first++) {
    const group = groupAt(first);
    if (group < 0 || visited[first] === 1 || !isBorder(first)) continue;
    const ring: number[] = [];
    let edge = first;
    do {
      visited[edge] = 1;
      ring.push(...middleOf(all, triangles, edge - (edge % 3)));
      const triangle = Math.floor((halfedges[edge] as number) / 3) * 3;
      edge = triangle;
      // One half-edge of the next triangle leads out of the group, for a group has one or two of its points.
      while (groupAt(edge) !== group || !isBorder(edge)) edge++;
    } while (edge !== first);
    (rings[group] as (readonly number[])[]).push(ring);
  }
  return rings;
}

function nextEdge(edge: number): number {
  return edge % 3 === 2 ? edge - 2 : edge + 1;
}

/** The middle of the circle through the points of the triangle whose first half-edge is `at`. */
function middleOf(points: Float64Array, triangles: Uint32Array, at: number): [number, number] {
  const [a, b, c] = [0, 1, 2].map((side) => (triangles[at + side] as number) * 2) as [number, number, number];
  const [x, y] = [points[a] as number, points[a + 1] as number];
  const [dx, dy, ex, ey] = [
    (points[b] as number) - x,
    (points[b + 1] as number) - y,
    (points[c] as number) - x,
    (points[c + 1] as number) - y,
  ];
  const [bl, cl, d] = [dx * dx + dy * dy, ex * ex + ey * ey, 0.5 / (dx * ey - dy * ex)];
  return [x + (ey * bl - dy * cl) * d, y + (dx * cl - ex * bl) * d];
}
