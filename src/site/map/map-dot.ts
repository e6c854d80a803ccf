/** The linked dots of a map. */
import type { Position } from '../../format/spherical-mean.js';
import type { LabelledDot } from './dot-labels.js';

/** A linked place. */
export interface MapDot extends Position {
  readonly name: string;
  readonly href: string;
  /** What stands behind the name where a reader points at the dot, such as a distance. */
  readonly detail?: string;
  /** The number of a result: the dot is large and shows it in place of the name. */
  readonly number?: number;
}

/** A dot at whole units, with its name as the map shows it. */
export interface DrawnDot extends LabelledDot {
  readonly dot: MapDot;
}
