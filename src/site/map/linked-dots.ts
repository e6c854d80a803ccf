/** Linked dots: a place on a map that leads to its page, with its name. */

import type { Position } from '../../core/snapshot/sphere.js';
import { escapeHtml } from '../html/html.js';
import { drawLabel, type LabelledDot, type Side } from './dot-labels.js';

export interface MapDot extends Position {
  readonly name: string;
  readonly href: string;
  /** Shown behind the name when a reader points at the dot: a distance, for example. */
  readonly detail?: string;
  /** A town that the map names to show where it is. */
  readonly isTown?: boolean;
}

/** A dot at whole units, with its name as the map shows it. */
export interface DrawnDot extends LabelledDot {
  readonly dot: MapDot;
}

/** Radius of a dot, in units. */
const RADIUS = 4;

/** `side` is where the name stands, `width` the width of the map in units. */
export function drawLinkedDot(drawn: DrawnDot, side: Side | undefined, width: number): string {
  const { dot, x, y } = drawn;
  const title = dot.detail === undefined ? dot.name : `${dot.name}, ${dot.detail}`;
  const mark = `<circle cx="${x}" cy="${y}" r="${RADIUS}"/>${drawLabel(drawn, side, width)}`;
  const kind = dot.isTown ? ' class="town"' : '';
  return `<a${kind} href="${escapeHtml(dot.href)}"><title>${escapeHtml(title)}</title>${mark}</a>`;
}
