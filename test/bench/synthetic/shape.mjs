/**
 * The figures by which a reader can judge whether one release is shaped like another. All are counted within each country
 * and added up, so that one country's rows are in memory at a time.
 */

/** The columns of the names of units. */
const UNIT_COLUMNS = [3, 5, 7];
const WORD = /[\p{L}\p{M}\d]+/gu;

export class Shape {
  #sums = new Map();
  #most = new Map();

  /** `rows` of one country: arrays of 12 columns. */
  add(rows) {
    const names = new Map();
    const codes = new Map();
    const points = new Set();
    const units = UNIT_COLUMNS.map(() => new Set());
    for (const row of rows) {
      names.set(row[2], (names.get(row[2]) ?? 0) + 1);
      codes.set(row[1], (codes.get(row[1]) ?? 0) + 1);
      points.add(`${row[9]} ${row[10]}`);
      this.#addUnits(row, units);
    }
    const sorted = [...names.keys()].sort();
    const words = sorted.map((name) => name.toLowerCase().match(WORD) ?? []);
    this.#sum('countries', 1);
    this.#sum('rows', rows.length);
    units.forEach((set, column) => {
      this.#sum(`unit${column + 1}`, set.size);
    });
    this.#sum('names', names.size);
    this.#sum('words', new Set(words.flat()).size);
    this.#sum(
      'wordsInNames',
      sumOf(words, (list) => list.length),
    );
    this.#sum(
      'letters',
      sumOf(sorted, (name) => name.length),
    );
    this.#sum(
      'sharedLetters',
      sumOf(sorted.slice(1), (name, at) => sharedLength(name, sorted[at])),
    );
    this.#sum('codes', codes.size);
    this.#sum('points', points.size);
    this.#max('rowsOfName', mostOf(names.values()));
    this.#max('rowsOfCode', mostOf(codes.values()));
  }

  /** `[what, figure]`; figures are numbers. */
  figures() {
    const of = (what) => this.#sums.get(what) ?? 0;
    const perRow = (what) => of(what) / of('rows');
    return [
      ['countries', of('countries')],
      ['rows', of('rows')],
      ...UNIT_COLUMNS.map((_, column) => [`units of column ${column + 1}`, of(`unit${column + 1}`)]),
      ['distinct names of places', of('names')],
      ['distinct words in them', of('words')],
      ['distinct codes', of('codes')],
      ['distinct points', of('points')],
      ...UNIT_COLUMNS.map((_, column) => [`share of rows with ${column} units`, perRow(`rowsOf${column}`)]),
      ['share of rows with 3 units', perRow('rowsOf3')],
      ['units per row', perRow('unit1') + perRow('unit2') + perRow('unit3')],
      ['distinct names per row', perRow('names')],
      ['distinct words per name', of('words') / of('names')],
      ['places per code', of('rows') / of('codes')],
      ['distinct points per row', perRow('points')],
      ['letters of a name', of('letters') / of('names')],
      ['words of a name', of('wordsInNames') / of('names')],
      ['letters shared with the name before it', of('sharedLetters') / of('names')],
      ['most rows of one name', this.#most.get('rowsOfName')],
      ['most rows of one code', this.#most.get('rowsOfCode')],
    ];
  }

  #addUnits(row, units) {
    let path = '';
    let depth = 0;
    UNIT_COLUMNS.forEach((column, index) => {
      if (row[column] === '') return;
      path += `\t${index}\t${row[column]}`;
      depth++;
      units[index].add(path);
    });
    this.#sum(`rowsOf${depth}`, 1);
  }

  #sum(what, value) {
    this.#sums.set(what, (this.#sums.get(what) ?? 0) + value);
  }

  #max(what, value) {
    this.#most.set(what, Math.max(this.#most.get(what) ?? 0, value));
  }
}

function sumOf(list, value) {
  return list.reduce((sum, one, at) => sum + value(one, at), 0);
}

function mostOf(values) {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}

function sharedLength(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
