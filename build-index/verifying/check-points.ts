/** Checks of the k-d tree: that it is one, that it holds every leaf's point once, and who stands for each point. */
import { POINT_NODE_SIZE } from '../../src/format/point-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { expect } from './expect.js';

export function checkPoints({ points, orders }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `point-index of ${code}`;
  const { coords, places } = points;
  const standing = new Map<string, number>();
  for (const place of orders.all) {
    const postalCode = fields.postalCodes[place] as string | null;
    if (postalCode === null) continue;
    const point = `${fields.longitudes[place]},${fields.latitudes[place]}`;
    const other = standing.get(point);
    const isLower =
      other === undefined ||
      Buffer.compare(Buffer.from(postalCode), Buffer.from(fields.postalCodes[other] as string)) < 0;
    if (isLower) standing.set(point, place);
  }
  expect(places.length === standing.size, where, `${standing.size} points`, () => places.length);
  places.forEach((place, index) => {
    const point = `${coords[index * 2]},${coords[index * 2 + 1]}`;
    expect(standing.get(point) === place, where, `place ${standing.get(point)} to stand for ${point}`, () => place);
    standing.delete(point);
  });

  const checkNode = (left: number, right: number, axis: number): void => {
    if (right - left <= POINT_NODE_SIZE) return;
    const middle = (left + right) >> 1;
    const split = coords[middle * 2 + axis] as number;
    for (let index = left; index <= right; index++) {
      const value = coords[index * 2 + axis] as number;
      const inPlace = index < middle ? value <= split : value >= split;
      expect(inPlace, where, `point ${index} on its side of ${split}`, () => value);
    }
    checkNode(left, middle - 1, 1 - axis);
    checkNode(middle + 1, right, 1 - axis);
  };
  checkNode(0, places.length - 1, 0);
}
