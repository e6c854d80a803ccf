/** Linked dots: a place on a map that leads to its page, with its name or the number of a result. */

import type { Position } from '../../core/snapshot/sphere.js';
import { escapeHtml } from '../html/html.js';
import { drawLabel, type LabelledDot, type Side } from './dot-labels.js';

export interface MapDot extends Position {
  readonly name: string;
  readonly href: string;
  /** Shown behind the name when a reader points at the dot: a distance, for example. */
  readonly detail?: string;
  /** The number of a result: the dot is large and shows it; the name appears where a reader points at the dot. */
  readonly number?: number;
}

/** A dot at whole units, with its name as the map shows it. */
export interface DrawnDot extends LabelledDot {
  readonly dot: MapDot;
}

/** Radius of a dot and of a numbered one, in units. */
const RADIUS = 4;
const NUMBERED_RADIUS = 9;
/** Least distance of two linked dots, in units: fingers need to tell them apart, and no number covers another. */
const LEAST_DISTANCE = 12;
const NUMBERED_LEAST_DISTANCE = 2 * NUMBERED_RADIUS;
/** Distance from the middle of a numbered dot to its name, in units. */
const NUMBERED_OFFSET = 13;

export function leastDistanceOf({ number }: MapDot): number {
  return number === undefined ? LEAST_DISTANCE : NUMBERED_LEAST_DISTANCE;
}

/** `side` is where the name stands, `width` the width of the map in units. */
export function drawLinkedDot(drawn: DrawnDot, side: Side | undefined, width: number): string {
  const { dot, x, y } = drawn;
  const title = dot.detail === undefined ? dot.name : `${dot.name}, ${dot.detail}`;
  const mark =
    dot.number === undefined
      ? `<circle cx="${x}" cy="${y}" r="${RADIUS}"/>${drawLabel(drawn, side, width)}`
      : `<circle cx="${x}" cy="${y}" r="${NUMBERED_RADIUS}"/><text class="number" x="${x}" y="${y + 4}">${dot.number}</text>` +
        drawLabel(drawn, undefined, width, NUMBERED_OFFSET);
  return `<a href="${escapeHtml(dot.href)}"><title>${escapeHtml(title)}</title>${mark}</a>`;
}
