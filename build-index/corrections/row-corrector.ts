/**
 * Applies the corrections of one country to its rows while they are read. Each correction matches rows as they are in
 * the release or as answers show them, not as other corrections change them, so that the order of
 * corrections doesn't matter. Only added rows are compared with corrected rows: a row that exists is not added. A row
 * whose code has no correction costs one set lookup.
 */

import { appendToGroup } from '../ordering/grouping.js';
import type { Row } from '../reading/postal-row.js';
import { UnitCodes } from './added-row-codes.js';
import { type Correction, conflictBetweenCorrections, correctionFitsRow, isAt } from './correction.js';
import { CorrectionError } from './correction-error.js';
import { type CorrectionTally, createCorrectionTally, noteStaleCorrection } from './correction-tally.js';
import { createRowForms } from './row-forms.js';

/** Maximum number of matching rows to list in an error. */
const MAX_SHOWN_FITS = 5;

/** A correction and the rows of the release found for it so far. */
interface Search {
  readonly correction: Correction;
  /** The row that the correction matches; for an addition, a row that makes it unnecessary. */
  fit: Row | null;
  /** Number of matching rows that are different places. */
  fitCount: number;
  /** "file:line" of the first MAX_SHOWN_FITS matching rows. */
  readonly fitsAt: string[];
  /** "file:line" of the first row that has the new code or name already. */
  caughtUpAt: string | null;
}

export class RowCorrector {
  readonly tally: CorrectionTally = createCorrectionTally();
  private readonly searches: readonly Search[];
  /** The searches by code and name of their row: `changes` for rows to correct, `additions` for rows to add. */
  private readonly changes = new Map<string, Search[]>();
  private readonly additions = new Map<string, Search[]>();
  /** The searches of `rename` and `recode` by the code and name after the correction. */
  private readonly results = new Map<string, Search[]>();
  private readonly codes = new Set<string>();
  private readonly unitCodes: UnitCodes;
  /** The first contradiction. `finish` throws it, since readLines treats an error between two rows as a read error. */
  private conflict: CorrectionError | undefined;
  private readonly formsOf: (row: Row) => readonly Row[];

  /** `corrections` are the corrections of the country; `where` returns "file:line" of the current row. */
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
    this.formsOf = createRowForms(corrections[0]?.countryCode ?? '');
    this.unitCodes = new UnitCodes(corrections.filter(({ action }) => action === 'add'));
    for (const search of this.searches) {
      const { action, postalCode, placeName, newCode, newName } = search.correction;
      this.listByRow(action === 'add' ? this.additions : this.changes, postalCode, placeName, search);
      if (newCode !== null || newName !== null) {
        this.listByRow(this.results, newCode ?? postalCode, newName ?? placeName, search);
      }
    }
  }

  /** The corrected row; undefined if a correction removes it, or if parsePostalRow rejected it. */
  correct(row: Row | undefined): Row | undefined {
    if (row === undefined || this.searches.length === 0) return row;
    const corrected = this.codes.has(row.postalCode) ? this.change(row) : row;
    if (corrected !== undefined) this.unitCodes.learn(corrected);
    return corrected;
  }

  /** The rows that corrections add. To be called once, after the last row; completes the tally. */
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
          noteStaleCorrection(
            this.tally,
            'stale: the release has caught up',
            correction,
            `; the row is at ${fitsAt[0]}`,
          );
        }
        continue;
      }
      if (fitCount > 1) throw ambiguous(search);
      if (fit === null && caughtUpAt === null) {
        noteStaleCorrection(this.tally, 'stale: the release has no row of that code and name', correction, '');
      } else if (fit === null || isPlacedAlready(correction, fit)) {
        const at = caughtUpAt ?? fitsAt[0];
        noteStaleCorrection(this.tally, 'stale: the release has caught up', correction, `; the row is at ${at}`);
      } else {
        this.tally.applied[action]++;
      }
    }
    return added;
  }

  private listByRow(searches: Map<string, Search[]>, postalCode: string, placeName: string, search: Search): void {
    this.codes.add(postalCode);
    appendToGroup(searches, keyOf(postalCode, placeName), search);
  }

  private change(row: Row): Row | undefined {
    const key = keyOf(row.postalCode, row.placeName);
    for (const search of this.results.get(key) ?? []) {
      if (correctionFitsRow(search.correction, row)) search.caughtUpAt ??= this.where();
    }
    const fitting = this.listFitting(this.changes, row);
    for (const search of fitting) this.noteFit(search, row);
    const corrections = fitting.map(({ correction }) => correction);
    corrections.forEach((correction, index) => {
      for (const other of corrections.slice(0, index)) this.conflict ??= conflictBetweenCorrections(correction, other);
    });
    const corrected = corrections.reduce<Row | undefined>(applyTo, row);
    if (corrected === undefined) this.tally.rowsRemoved++;
    else this.noteAdditions(corrected, corrections);
    return corrected;
  }

  /** The searches that a row fits, as released or with the names that answers show. */
  private listFitting(searches: ReadonlyMap<string, readonly Search[]>, row: Row): Search[] {
    const fitting = this.formsOf(row).flatMap((form) =>
      (searches.get(keyOf(form.postalCode, form.placeName)) ?? []).filter(({ correction }) =>
        correctionFitsRow(correction, form),
      ),
    );
    return [...new Set(fitting)];
  }

  private noteFit(search: Search, row: Row): void {
    // Duplicate rows collapse into one place, so the correction applies to all of them.
    if (search.fit !== null && isSamePlace(search.fit, row)) return;
    search.fit ??= row;
    search.fitCount++;
    if (search.fitCount <= MAX_SHOWN_FITS) search.fitsAt.push(this.where());
  }

  /** Notes the additions that `row` makes stale; `corrections` have been applied to the row. */
  private noteAdditions(row: Row, corrections: readonly Correction[]): void {
    for (const search of this.listFitting(this.additions, row)) {
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
  // Applied even if the release has this position already: it marks the position as confirmed by the operator.
  if (newPosition !== null) return place(row, newPosition);
  return { ...row, postalCode: newCode ?? row.postalCode, placeName: newName ?? row.placeName };
}

/** The row at the position of a correction. */
function place(row: Omit<Row, 'latitude' | 'longitude' | 'placedBy'>, position: Correction['newPosition']): Row {
  if (position === null) throw new Error('a row is placed by an action that has no position');
  return { ...row, ...position, placedBy: 'hand' };
}

/** Whether the release has the row at the correction's new position already. */
function isPlacedAlready({ newPosition }: Correction, row: Row): boolean {
  return newPosition !== null && isAt(newPosition, row);
}

/** Whether two rows with equal code and name are one leaf, see tree/collected-places.ts. */
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
