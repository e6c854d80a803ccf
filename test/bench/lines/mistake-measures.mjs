/** The measures of bench:lines of codes with look-alike characters, wrong digits, and codes within blocks. */
import { FORMS_BY_COUNTRY } from './customs.mjs';
import { drawLine } from './drawn-lines.mjs';
import { firstCase, hasCode, isNear } from './judging.mjs';
import { drawCases } from './source.mjs';

const CASES = 500;
const BLOCK_CASES_PER_COUNTRY = 30;
/** Minimum number of gaps between codes of one town from which a country counts as one that assigns blocks. */
const MIN_GAPS = 20;
const LOOK_ALIKES = { 0: 'O', O: '0', 1: 'lI', I: '1', L: '1', 5: 'S', S: '5', 8: 'B', B: '8', 2: 'Z', Z: '2' };
/** Countries whose data has one code for a town with a block of them, and the greatest length of a block, in codes. */
const TOWN_BLOCKS = { BR: 100_000, CN: 100 };

export function mistakeMeasures(source) {
  const countries = [...FORMS_BY_COUNTRY.keys()].filter((country) => source.isCovered(country));
  const draw = (purpose, make) =>
    drawCases(purpose, CASES, (random, number) => {
      const country = countries[number % countries.length];
      const line = drawLine(source, country, random, ['{code}']);
      return line && make({ ...line, data: source.codeInData(country, line.code) }, random);
    });
  return [
    {
      name: 'look-alikes, world',
      aim: 95,
      before: 1,
      cases: () => draw('look-alike world', (line, random) => lookAlikeCase(source, line, random, 'world')),
    },
    {
      name: 'look-alikes, country',
      aim: 95,
      cases: () => draw('look-alike country', (line, random) => lookAlikeCase(source, line, random, 'country')),
    },
    {
      name: 'look-alikes and town',
      aim: 95,
      cases: () => draw('look-alike town', (line, random) => lookAlikeCase(source, line, random, 'town')),
    },
    { name: 'wrong digit and town', aim: 95, before: 7, cases: () => draw('wrong digit', wrongDigitCase) },
    { name: 'swapped digits and town', aim: 95, cases: () => draw('swapped', swappedCase) },
    { name: 'codes within blocks, country', cases: () => blockCases(source) },
  ];
}

function lookAlikeCase(source, { country, code, data, town, position }, { one, below, chance }, kind) {
  const places = [...code].flatMap((char, at) => (LOOK_ALIKES[char] === undefined ? [] : [at]));
  const mistyped = [...code];
  for (let count = Math.min(places.length, chance(0.6) ? 1 : 2); count > 0; count--) {
    const [at] = places.splice(below(places.length), 1);
    mistyped[at] = one([...LOOK_ALIKES[code[at]]]);
  }
  const typed = mistyped.join('');
  if (typed === code || data === undefined) return undefined;
  if (source.countries.some((other) => source.codeInData(other, typed) !== undefined)) return undefined;
  const meant = `${country} ${data}`;
  // Without the country, the code may be that of another country.
  if (kind === 'world')
    return firstCase({ query: typed, meant, position }, (first) => hasCode(first, data) || first.postalCode === code);
  if (kind === 'country') return firstCase({ query: typed, country, meant, position }, (first) => hasCode(first, data));
  const query = chance(0.5) ? `${typed} ${town}` : `${town} ${typed}`;
  return firstCase({ query, meant, position }, (first) => hasCode(first, data));
}

function wrongDigitCase(line, random) {
  const digits = digitsOf(line.code);
  const at = random.one(digits);
  const wrong = (Number(line.code[at]) + 1 + random.below(9)) % 10;
  return townCase(line, line.code.slice(0, at) + wrong + line.code.slice(at + 1), random);
}

function swappedCase(line, random) {
  const { code } = line;
  const pairs = digitsOf(code).filter((at) => /\d/.test(code[at + 1] ?? '') && code[at] !== code[at + 1]);
  if (pairs.length === 0) return undefined;
  const at = random.one(pairs);
  return townCase(line, code.slice(0, at) + code[at + 1] + code[at] + code.slice(at + 2), random);
}

/** Right is a place within reach of the town, or one with the code that was meant. */
function townCase({ country, code, data, town, position }, typed, { chance }) {
  const query = chance(0.8) ? `${typed} ${town}` : `${town} ${typed}`;
  return firstCase(
    { query, meant: `${country} ${code} ${town}`, position },
    (first) => isNear(first, position) || hasCode(first, data),
  );
}

const digitsOf = (code) => [...code].flatMap((char, at) => (/\d/.test(char) ? [at] : []));

/** Codes that the data lacks, between two known codes of one town or behind the only code of a town that has a block. */
function blockCases(source) {
  return source.countries.flatMap((country) => {
    const gaps = listGaps(source, country);
    if (gaps.length < MIN_GAPS) return [];
    return drawCases(`block ${country}`, BLOCK_CASES_PER_COUNTRY, ({ one, below }) => {
      const { from, to, write, place } = one(gaps);
      const code = write(from + 1 + below(to - from - 1));
      if (source.codeInData(country, code) !== undefined) return undefined;
      return firstCase({ query: code, country, meant: place.name, position: place }, (first) => isNear(first, place));
    });
  });
}

/** `{ from, to, write, place }`: codes as numbers with nothing between them, and how a number is written as a code. */
function listGaps(source, country) {
  const gaps = [];
  const codes = source.codesOf(country).map((text) => ({ text, digits: text.replace(/\D/g, '') }));
  if (codes.some(({ text }) => !/^\d[\d -]*$/.test(text) || text.length !== codes[0].text.length)) return gaps;
  const separatorAt = codes[0].text.search(/[ -]/);
  const write = (number) => {
    const digits = String(number).padStart(codes[0].digits.length, '0');
    return separatorAt === -1
      ? digits
      : digits.slice(0, separatorAt) + codes[0].text[separatorAt] + digits.slice(separatorAt);
  };
  const blockLength = TOWN_BLOCKS[country];
  for (let at = 0; at + 1 < codes.length; at++) {
    const [from, to] = [Number(codes[at].digits), Number(codes[at + 1].digits)];
    if (to - from < 2) continue;
    if (blockLength !== undefined) {
      gaps.push({ from, to: Math.min(to, from + blockLength), write, place: source.placeOfCode(country, at) });
      continue;
    }
    const [place, next] = [at, at + 1].map((code) => source.placeOfCode(country, code));
    if (place.name === next.name && place.parentId === next.parentId) gaps.push({ from, to, write, place });
  }
  return gaps;
}
