/**
 * Which names stand beside the dots of a map all the time, and where: the first names, at most MAX_SHOWN, each right,
 * left, above or below its dot, where it lies on the map and covers no other dot or name. The others appear when a
 * reader points at their dot. Widths are estimated. Costs about 5 µs for 16 dots, so it makes no objects on its way.
 */
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
