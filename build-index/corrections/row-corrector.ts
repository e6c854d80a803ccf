/**
 * Applies the corrections of one country to its rows as they are read. Each correction looks for its row among the rows
 * as the release has them, whatever other corrections make of these, so that the order of corrections changes nothing.
 * Only added rows look at corrected rows: a row that is there already is not added. Rows of other codes than those of
 * corrections cost one look into a set.
 */
import type { Row } from '../reading/row.js';
import { type Correction, conflictBetween, fitsRow, isAt } from './correction.js';
import { CorrectionError } from './correction-error.js';
import { type CorrectionTally, createCorrectionTally, noteStale } from './correction-tally.js';
import { UnitCodes } from './unit-codes.js';

const MAX_SHOWN_FITS = 5;

/** A correction and what was found of it in the release so far. */
interface Search {
  readonly correction: Correction;
  /** The row that the correction is about; of an addition, the row that is there already. */
  fit: Row | null;
  /** How many rows fit that are different places, and "file:line" of the first few of them. */
  fitCount: number;
  readonly fitsAt: string[];
  /** "file:line" of the first row that has the new code or the new name already. */
  caughtUpAt: string | null;
}

export class RowCorrector {
  readonly tally: CorrectionTally = createCorrectionTally();
  private readonly searches: readonly Search[];
  /** The searches by code and name of the row that is looked for: for rows to correct, and for rows to add. */
  private readonly changes = new Map<string, Search[]>();
  private readonly additions = new Map<string, Search[]>();
  /** The searches of `rename` and `recode` by the code and name that the row is to have. */
  private readonly results = new Map<string, Search[]>();
  private readonly codes = new Set<string>();
  private readonly unitCodes: UnitCodes;
  /** The first contradiction, kept for `finish`: what is thrown between two rows, readLines takes for a failure to read. */
  private conflict: CorrectionError | undefined;

  /** `corrections` are those of the country; `where` tells "file:line" of the row being read. */
  constructor(
    corrections: readonly Correction[],
    private readonly where: () => string,
  ) {
    this.searches = corrections.map((correction) => ({
      correction,
      fit: null,
      fitCount: 0,
      fitsAt: [],
      caughtUpAt: null,
    }));
    this.unitCodes = new UnitCodes(corrections.filter(({ action }) => action === 'add'));
    for (const search of this.searches) {
      const { action, postalCode, placeName, newCode, newName } = search.correction;
      this.listByRow(action === 'add' ? this.additions : this.changes, postalCode, placeName, search);
      if (newCode !== null || newName !== null) {
        this.listByRow(this.results, newCode ?? postalCode, newName ?? placeName, search);
      }
    }
  }

  /** The row as it is to be taken; undefined where a correction removes it, or where parseRow has rejected it. */
  correct(row: Row | undefined): Row | undefined {
    if (row === undefined || this.searches.length === 0) return row;
    const corrected = this.codes.has(row.postalCode) ? this.change(row) : row;
    if (corrected !== undefined) this.unitCodes.learn(corrected);
    return corrected;
  }

  /**
   * The rows that corrections add. To be called once, behind the last row: completes the tally. Throws CorrectionError
   * where several rows fit a correction, or corrections of one row contradict each other.
   */
  finish(): Row[] {
    if (this.conflict !== undefined) throw this.conflict;
    const added: Row[] = [];
    for (const search of this.searches) {
      const { correction, fit, fitCount, fitsAt, caughtUpAt } = search;
      const { action, adminNames, postalCode, placeName, newPosition } = correction;
      if (action === 'add') {
        if (fit === null) {
          const row = { postalCode, placeName, adminNames, adminCodes: this.unitCodes.codesOf(adminNames) };
          added.push(place(row, newPosition));
          this.tally.applied.add++;
        } else {
          noteStale(this.tally, 'stale: the release has caught up', correction, `; the row is at ${fitsAt[0]}`);
        }
        continue;
      }
      if (fitCount > 1) throw ambiguous(search);
      if (fit === null && caughtUpAt === null) {
        noteStale(this.tally, 'stale: the release has no row of that code and name', correction, '');
      } else if (fit === null || isPlacedAlready(correction, fit)) {
        const at = caughtUpAt ?? fitsAt[0];
        noteStale(this.tally, 'stale: the release has caught up', correction, `; the row is at ${at}`);
      } else {
        this.tally.applied[action]++;
      }
    }
    return added;
  }

  private listByRow(searches: Map<string, Search[]>, postalCode: string, placeName: string, search: Search): void {
    this.codes.add(postalCode);
    const key = keyOf(postalCode, placeName);
    const ofRow = searches.get(key);
    if (ofRow === undefined) searches.set(key, [search]);
    else ofRow.push(search);
  }

  private change(row: Row): Row | undefined {
    const key = keyOf(row.postalCode, row.placeName);
    for (const search of this.results.get(key) ?? []) {
      if (fitsRow(search.correction, row)) search.caughtUpAt ??= this.where();
    }
    const fitting = (this.changes.get(key) ?? []).filter(({ correction }) => fitsRow(correction, row));
    for (const search of fitting) this.noteFit(search, row);
    const corrections = fitting.map(({ correction }) => correction);
    corrections.forEach((correction, index) => {
      for (const other of corrections.slice(0, index)) this.conflict ??= conflictBetween(correction, other);
    });
    const corrected = corrections.reduce<Row | undefined>(applyTo, row);
    if (corrected === undefined) this.tally.rowsRemoved++;
    else this.noteAdditions(corrected, corrections);
    return corrected;
  }

  private noteFit(search: Search, row: Row): void {
    // Rows that are the same place twice collapse, so that the correction is about all of them.
    if (search.fit !== null && isSamePlace(search.fit, row)) return;
    search.fit ??= row;
    search.fitCount++;
    if (search.fitCount <= MAX_SHOWN_FITS) search.fitsAt.push(this.where());
  }

  /** Notes the additions that `row` makes stale; `corrections` have made the row what it is. */
  private noteAdditions(row: Row, corrections: readonly Correction[]): void {
    for (const search of this.additions.get(keyOf(row.postalCode, row.placeName)) ?? []) {
      if (!fitsRow(search.correction, row)) continue;
      const maker = corrections.find(({ newCode, newName }) => newCode !== null || newName !== null);
      if (maker !== undefined) {
        const found = `the row that ${maker.where} makes of ${this.where()}`;
        this.conflict ??= new CorrectionError(search.correction.where, 'a row that no other correction makes', found);
      }
      this.noteFit(search, row);
    }
  }
}

function applyTo(row: Row | undefined, { action, newCode, newName, newPosition }: Correction): Row | undefined {
  if (row === undefined || action === 'remove') return undefined;
  // Also where the release has the row there already: whoever says so by hand is believed.
  if (newPosition !== null) return place(row, newPosition);
  return { ...row, postalCode: newCode ?? row.postalCode, placeName: newName ?? row.placeName };
}

/** The row at a position that a correction gives. */
function place(row: Omit<Row, 'latitude' | 'longitude' | 'placedBy'>, position: Correction['newPosition']): Row {
  if (position === null) throw new Error('a row is placed by an action that has no position');
  return { ...row, ...position, placedBy: 'hand' };
}

/** Whether the release has moved the row to where the correction wants it. */
function isPlacedAlready({ newPosition }: Correction, row: Row): boolean {
  return newPosition !== null && isAt(newPosition, row);
}

/** Whether two rows of one code and name are one leaf of the tree, see build-index/tree/collecting.ts. */
function isSamePlace(one: Row, other: Row): boolean {
  return one.adminNames.every((name, column) => name === other.adminNames[column]) && isAt(one, other);
}

function keyOf(postalCode: string, placeName: string): string {
  return `${postalCode}\t${placeName}`;
}

function ambiguous({ correction, fitCount, fitsAt }: Search): CorrectionError {
  const more = fitCount > fitsAt.length ? ' and more' : '';
  return new CorrectionError(
    correction.where,
    'one row, narrowed by its units where several have this code and name',
    `${fitCount} rows: ${fitsAt.join(', ')}${more}`,
  );
}
