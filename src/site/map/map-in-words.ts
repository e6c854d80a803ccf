/** A map in words, for readers who can't see it: its dots by their direction from the middle, in their order. */

import { escapeHtml } from '../html/html.js';
import type { DrawnDot } from './linked-dots.js';

const NAMES = [
  'North',
  'North-east',
  'East',
  'South-east',
  'South',
  'South-west',
  'West',
  'North-west',
  'In the middle',
];
const MIDDLE = 8;
/** Distance from the middle of the map below which a dot has no direction, in units. */
const CENTRAL = 12;

/** The list of names by direction, as markup. */
export function describeDots(dots: readonly DrawnDot[], middleX: number, middleY: number): string {
  if (dots.length === 0) return '';
  const found: string[] = [];
  for (const { dot, x, y } of dots) {
    const [east, north] = [x - middleX, middleY - y];
    const isCentral = Math.abs(east) < CENTRAL && Math.abs(north) < CENTRAL;
    const direction = isCentral ? MIDDLE : (Math.round(Math.atan2(east, north) / (Math.PI / 4)) + 8) % 8;
    const others = found[direction];
    found[direction] = others === undefined ? dot.name : `${others}, ${dot.name}`;
  }
  let text = '<details><summary>The map in words</summary><dl>';
  for (const [at, names] of found.entries())
    if (names !== undefined) text += `<dt>${NAMES[at]}</dt><dd dir="auto">${escapeHtml(names)}</dd>`;
  return `${text}</dl></details>`;
}
