/**
 * Which names stand beside the dots of a map all the time, and where: the first names, at most MAX_SHOWN, each right,
 * left, above or below its dot, where it lies on the map and covers no other dot or name. The others appear when a
 * reader points at their dot. Widths are estimated.
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
const MAX_SHOWN = 25;
/** Height of a line, and mean width of a character, in units, at the stylesheet's size of 12 units. */
const LINE = 13;
const CHARACTER = 6.8;
const WIDE_CHARACTER = 12.5;
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/;
/** Size of a name over an area, as a factor: 16 units, and bold. */
const OVER_SIZE = 1.45;
/** Distance from the middle of a dot to its name, and to the dot's edge, in units. */
const OFFSET = 8;
const DOT = 5;
/** Least distance of a name from the edge of the map, in units. */
const MARGIN = 2;

/** The side of each dot on which its name is shown; undefined for a hidden name. Names leave the boxes `taken` free. */
export function placeLabels(
  dots: readonly LabelledDot[],
  width: number,
  height: number,
  taken: readonly LabelBox[],
): readonly (Side | undefined)[] {
  const ownBoxes = dots.map(({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT }));
  const occupied = [...taken, ...ownBoxes];
  let shownCount = 0;
  return dots.map((dot, at) => {
    if (shownCount === MAX_SHOWN) return undefined;
    for (const side of SIDES) {
      const box = boxOf(dot, side, width);
      const { left, top, right, bottom } = box;
      if (left < MARGIN || top < MARGIN || right > width - MARGIN || bottom > height - MARGIN) continue;
      if (occupied.some((other) => other !== ownBoxes[at] && overlap(box, other))) continue;
      occupied.push(box);
      shownCount++;
      return side;
    }
    return undefined;
  });
}

/** The box of a name at a side of its dot, on a map of this width. */
function boxOf({ x, y, label }: LabelledDot, side: Side, mapWidth: number): LabelBox {
  const width = widthOf(label);
  const middle = middleOf(x, width, mapWidth);
  const left = side === 'right' ? x + OFFSET : side === 'left' ? x - OFFSET - width : middle - width / 2;
  const top = side === 'above' ? y - OFFSET - LINE + 3 : side === 'below' ? y + OFFSET - 2 : y - LINE / 2;
  return { left, top, right: left + width, bottom: top + LINE };
}

function overlap(a: LabelBox, b: LabelBox): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

/** The middle of a name above or below its dot, as near to it as the edges of the map allow. */
function middleOf(x: number, width: number, mapWidth: number): number {
  return Math.round(Math.min(mapWidth - MARGIN - 1 - width / 2, Math.max(MARGIN + 1 + width / 2, x)));
}

/**
 * The markup of a name at a side of its dot. A hidden name stands on the right, or on the left where the right is
 * outside of the map.
 */
export function drawLabel({ x, y, label }: LabelledDot, side: Side | undefined, width: number): string {
  const length = widthOf(label);
  const isOutside = x > width / 2 && x + OFFSET + length > width;
  const shift = middleOf(x, length, width) - x;
  const [right, down, anchor] = {
    right: [OFFSET, 4, ''] as const,
    left: [-OFFSET, 4, ' text-anchor="end"'] as const,
    above: [shift, -OFFSET, ' text-anchor="middle"'] as const,
    below: [shift, OFFSET + 9, ' text-anchor="middle"'] as const,
  }[side ?? (isOutside ? 'left' : 'right')];
  const shy = side === undefined ? ' class="shy"' : '';
  return `<text x="${x + right}" y="${y + down}"${anchor}${shy}>${escapeHtml(label)}</text>`;
}

/** The box of a large name over the middle of an area. */
export function labelBoxOver({ x, y, label }: LabelledDot): LabelBox {
  const half = (widthOf(label) * OVER_SIZE) / 2;
  return { left: x - half, right: x + half, top: y - LINE, bottom: y + LINE * 0.5 };
}

export function drawLabelOver({ x, y, label }: LabelledDot): string {
  return `<text class="over" x="${x}" y="${y + 4}">${escapeHtml(label)}</text>`;
}

function widthOf(text: string): number {
  if (!WIDE.test(text)) return text.length * CHARACTER;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? WIDE_CHARACTER : CHARACTER;
  return width;
}
