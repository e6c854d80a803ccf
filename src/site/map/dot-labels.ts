/**
 * Which names stand beside the dots of a map all the time, and where: the first names, at most MAX_SHOWN, each right,
 * left, above or below its dot, where it lies on the map and covers no other dot or name. The others appear when a
 * reader points at their dot. Widths are estimated.
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
  const ownBoxes = dots.map(({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT }));
  const occupied = [...taken, ...ownBoxes];
  let shownCount = 0;
  return dots.map((dot, at) => {
    if (shownCount === MAX_SHOWN) return undefined;
    for (const side of SIDES) {
      const box = boxOf(dot, side);
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

/** Of a name at a side of its dot. */
function boxOf({ x, y, label }: LabelledDot, side: Side): LabelBox {
  const width = widthOf(label);
  const left = side === 'right' ? x + OFFSET : side === 'left' ? x - OFFSET - width : x - width / 2;
  const top = side === 'above' ? y - OFFSET - LINE + 3 : side === 'below' ? y + OFFSET - 2 : y - LINE / 2;
  return { left, top, right: left + width, bottom: top + LINE };
}

function overlap(a: LabelBox, b: LabelBox): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
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
  const isOutside = x > width / 2 && x + offset + widthOf(label) > width;
  const [right, down, anchor] = {
    right: [offset, 4, ''] as const,
    left: [-offset, 4, ' text-anchor="end"'] as const,
    above: [0, -offset, ' text-anchor="middle"'] as const,
    below: [0, offset + 9, ' text-anchor="middle"'] as const,
  }[side ?? (isOutside ? 'left' : 'right')];
  const shy = side === undefined ? ' class="shy"' : '';
  return `<text x="${x + right}" y="${y + down}"${anchor}${shy}>${escapeHtml(label)}</text>`;
}

function widthOf(text: string): number {
  if (!WIDE.test(text)) return text.length * CHARACTER;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? WIDE_CHARACTER : CHARACTER;
  return width;
}

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
