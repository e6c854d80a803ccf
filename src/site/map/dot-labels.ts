/**
 * Which names stand beside the dots of a map all the time, and where: the first names, at most MAX_SHOWN, each right,
 * left, above or below its dot, where it lies on the map and covers no other dot or name. The others appear when a
 * reader points at their dot. Widths are estimated. Costs about 5 µs for 16 dots, so it makes no objects on its way.
 */

import type { Position } from '../../core/snapshot/sphere.js';
import { escapeHtml } from '../html/html.js';

/** A rectangle by its edges, in units. */
export interface LabelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where a name may stand, best first. */
const SIDES = ['right', 'left', 'above', 'below'] as const;

export type Side = (typeof SIDES)[number];

export interface LabelledDot {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/** Maximum number of names that a map shows all the time: more would cover the map. */
const MAX_SHOWN = 12;
/** Height of a line, and mean width of a character, in units, at the stylesheet's size of 12 units. */
const LINE = 13;
const CHARACTER = 6.8;
const WIDE_CHARACTER = 12.5;
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/;
/** From the middle of a dot to its name, and of a dot itself. */
const OFFSET = 8;
const DOT = 5;
/** Between a name and the edge of the map. */
const MARGIN = 2;

/** For each dot in its order where its name is shown; undefined where it is not. `taken` is covered by something else. */
export function placeLabels(
  dots: readonly LabelledDot[],
  width: number,
  height: number,
  taken: readonly LabelBox[],
): readonly (Side | undefined)[] {
  const occupied = new OccupiedBoxes(width, height);
  for (const { left, top, right, bottom } of taken) occupied.add(left, top, right, bottom);
  for (const { x, y } of dots) occupied.add(x - DOT, y - DOT, x + DOT, y + DOT);
  const sides: (Side | undefined)[] = [];
  let shownCount = 0;
  for (let at = 0; at < dots.length; at++) {
    const { x, y, label } = dots[at] as LabelledDot;
    const side = shownCount < MAX_SHOWN ? occupied.place(x, y, widthOf(label), taken.length + at) : undefined;
    if (side !== undefined) shownCount++;
    sides.push(side);
  }
  return sides;
}

/**
 * The markup of a name at a side of its dot, `offset` from its middle; a name that is not shown is to the right, or where
 * that is outside left.
 */
export function drawLabel(
  { x, y, label }: LabelledDot,
  side: Side | undefined,
  width: number,
  offset = OFFSET,
): string {
  const text = escapeHtml(label);
  const isOutside = x > width / 2 && x + offset + widthOf(label) > width;
  switch (side) {
    case 'right':
      return `<text x="${x + offset}" y="${y + 4}">${text}</text>`;
    case 'left':
      return `<text x="${x - offset}" y="${y + 4}" text-anchor="end">${text}</text>`;
    case 'above':
      return `<text x="${x}" y="${y - offset}" text-anchor="middle">${text}</text>`;
    case 'below':
      return `<text x="${x}" y="${y + offset + 9}" text-anchor="middle">${text}</text>`;
    case undefined:
      return isOutside
        ? `<text x="${x - offset}" y="${y + 4}" text-anchor="end" class="shy">${text}</text>`
        : `<text x="${x + offset}" y="${y + 4}" class="shy">${text}</text>`;
  }
}

/** The rectangles of a map that are covered: four numbers each. */
class OccupiedBoxes {
  readonly #edges: number[] = [];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  add(left: number, top: number, right: number, bottom: number): void {
    this.#edges.push(left, top, right, bottom);
  }

  /** Covers the rectangle of a name beside its dot, which is box number `own`; undefined where none is free. */
  place(x: number, y: number, textWidth: number, own: number): Side | undefined {
    for (const side of SIDES) if (this.#take(side, x, y, textWidth, own)) return side;
    return undefined;
  }

  #take(side: Side, x: number, y: number, textWidth: number, own: number): boolean {
    const left = side === 'right' ? x + OFFSET : side === 'left' ? x - OFFSET - textWidth : x - textWidth / 2;
    const top = side === 'above' ? y - OFFSET - LINE + 3 : side === 'below' ? y + OFFSET - 2 : y - LINE / 2;
    const right = left + textWidth;
    const bottom = top + LINE;
    if (left < MARGIN || top < MARGIN || right > this.width - MARGIN || bottom > this.height - MARGIN) return false;
    const edges = this.#edges;
    for (let at = 0; at < edges.length; at += 4) {
      const isApart =
        left >= (edges[at + 2] as number) ||
        right <= (edges[at] as number) ||
        top >= (edges[at + 3] as number) ||
        bottom <= (edges[at + 1] as number);
      if (!isApart && at !== own * 4) return false;
    }
    this.add(left, top, right, bottom);
    return true;
  }
}

function widthOf(text: string): number {
  if (!WIDE.test(text)) return text.length * CHARACTER;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? WIDE_CHARACTER : CHARACTER;
  return width;
}

/* The linked dots of a map, and their markup. */

/** A linked place. */
export interface MapDot extends Position {
  readonly name: string;
  readonly href: string;
  /** What stands behind the name where a reader points at the dot, such as a distance. */
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
/** From the middle of a numbered dot to its name, in units. */
const NUMBERED_OFFSET = 13;

export function leastDistanceOf({ number }: MapDot): number {
  return number === undefined ? LEAST_DISTANCE : NUMBERED_LEAST_DISTANCE;
}

/** `side` is that of the name; `width` is that of the map, in units. */
export function drawLink(drawn: DrawnDot, side: Side | undefined, width: number): string {
  const { dot, x, y } = drawn;
  const title = dot.detail === undefined ? dot.name : `${dot.name}, ${dot.detail}`;
  const mark =
    dot.number === undefined
      ? `<circle cx="${x}" cy="${y}" r="${RADIUS}"/>${drawLabel(drawn, side, width)}`
      : `<circle cx="${x}" cy="${y}" r="${NUMBERED_RADIUS}"/><text class="number" x="${x}" y="${y + 4}">${dot.number}</text>` +
        drawLabel(drawn, undefined, width, NUMBERED_OFFSET);
  return `<a href="${escapeHtml(dot.href)}"><title>${escapeHtml(title)}</title>${mark}</a>`;
}

/* Names as a map shows them, where room is short; the whole name is where a reader points. */

/** Number of names that share their first word from which on the map leaves it out. */
const LEAST_SHARING = 4;
/** Of the languages with such words before names: "Región de Tarapacá", "Arrondissement de Saint-Denis". */
const PREPOSITION = /^(?:de las?|de los|del|des|de|du|da|do|of) (?=\p{Lu})|^d(?:e l)?['’](?=\p{Lu})/u;
/** Characters of a name on the map; the whole name is where a reader points. */
const MAX_NAME_LENGTH = 24;

/** Names without the first word where most names begin with it, as in "Regierungsbezirk Schwaben". */
export function shortenLabels(dots: readonly DrawnDot[]): readonly DrawnDot[] {
  const prefix = sharedPrefix(dots);
  return dots.map(({ dot, x, y, label }) => {
    const rest =
      prefix !== '' && label.startsWith(prefix) ? label.slice(prefix.length).replace(PREPOSITION, '') : label;
    return { x, y, label: shorten(rest), dot };
  });
}

/** With its space; nothing where no first word is shared by most. */
function sharedPrefix(dots: readonly DrawnDot[]): string {
  // One of the first few has it, if most have it.
  for (const { label } of dots.slice(0, LEAST_SHARING)) {
    const prefix = label.slice(0, label.indexOf(' ') + 1);
    if (prefix === '') continue;
    let count = 0;
    for (const other of dots) if (other.label.startsWith(prefix)) count++;
    if (count >= LEAST_SHARING && count > dots.length / 2) return prefix;
  }
  return '';
}

export function shorten(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${[...name].slice(0, MAX_NAME_LENGTH - 1).join('')}…`;
}
