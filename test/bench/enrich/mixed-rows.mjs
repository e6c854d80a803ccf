/** Rows of a made-up table of customers, with the codes of a snapshot. The random numbers are seeded. */
import { codeText } from '../../../dist/src/core/snapshot/postcode-index.js';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';

const HEADER = 'id,name,street,postcode,country\n';
/** The countries that most rows are of, and their share. */
const COMMON = ['US', 'DE', 'FR', 'GB', 'IT', 'ES', 'JP', 'IN', 'BR', 'PL', 'NL', 'AT', 'CH'];
const COMMON_SHARE = 0.8;
/** The share of codes that do not exist, and of those in another spelling. */
const UNKNOWN_SHARE = 0.03;
const RESPELLED_SHARE = 0.07;
/** Rows of a piece. */
const PIECE_ROWS = 10_000;

/**
 * Pieces of a table. A `spread` of 1 draws codes evenly, so that a row seldom has the code of a row shortly before it. The
 * larger it is, the more rows have one of few codes, as customers live in some places more than in others.
 */
export function* mixedRows(snapshotFile, rowCount, spread) {
  const { countries, countryByCode } = openSnapshot(snapshotFile);
  const all = countries.filter(({ structures }) => structures !== undefined);
  const common = COMMON.flatMap((code) => countryByCode.get(code) ?? []).filter(({ structures }) => structures);
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const pick = (list) => list[Math.floor(random() * list.length)];
  const codeOf = ({ structures: { postcodes } }) => {
    const kind = random();
    if (kind < UNKNOWN_SHARE) return `XX${Math.floor(random() * 50)}`;
    const code = codeText(postcodes, Math.floor(random() ** spread * postcodes.codeCount));
    return kind < UNKNOWN_SHARE + RESPELLED_SHARE ? code.toLowerCase().replace(/[\s-]/g, '') : code;
  };
  let piece = HEADER;
  for (let row = 0; row < rowCount; row++) {
    const country = pick(common.length > 0 && random() < COMMON_SHARE ? common : all);
    piece += `${row},Company ${row % 977},Main Street ${row % 211},${codeOf(country)},${country.entry.code}\n`;
    if (row % PIECE_ROWS === 0) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}
