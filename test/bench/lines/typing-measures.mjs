/**
 * The measures of bench:lines of lines as they are typed: a query for every character from the second one on. Lines are
 * drawn, or from typed-lines.tsv: a town with a unit or a code of letters behind it, by the start as typed and the rest;
 * without a town, a code first or Chinese units together, asked in the country.
 */
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { FORMS_BY_COUNTRY } from './customs.mjs';
import { drawLine } from './drawn-lines.mjs';
import { caseOf, describe, FIVE, isNear } from './judging.mjs';
import { readTable } from './read-table.mjs';
import { drawCases } from './source.mjs';

const LINES_PER_COUNTRY = 6;
const SHORTEST_QUERY = 2;

export function typingMeasures(source) {
  const countries = [...FORMS_BY_COUNTRY.keys()].filter((country) => source.isCovered(country));
  const draw = (form) =>
    countries.flatMap((country) =>
      drawCases(`typing ${form} ${country}`, LINES_PER_COUNTRY, (random) => {
        const line = drawLine(source, country, random, [form]);
        return line && foldText(line.town) !== '' ? line : undefined;
      }),
    );
  const townFirst = draw('{town} {code}');
  const codeFirst = draw('{code} {town}');
  const typed = readTable('typed-lines.tsv').filter(({ country }) => source.isCovered(country));
  const withLetters = typed
    .filter(({ town }) => town !== '')
    .map(({ country, town, start, rest }) => {
      const position = source.cityNamed(country, foldText(town));
      return { line: start + rest, town: start, country, position };
    });
  const inCountry = typed.filter(({ town }) => town === '');
  const isNamed = (place, folded) =>
    [place.name, place.localName].some((name) => ` ${foldText(name)}`.includes(` ${folded}`));
  const named = ({ town, position }) => {
    const folded = foldText(town);
    return (place) => isNamed(place, folded) && isNear(place, position);
  };
  const near =
    ({ position }) =>
    (place) =>
      isNear(place, position);
  return [
    { name: 'keystrokes with a list, town code', aim: 99, before: 76, cases: () => keystrokeCases(townFirst) },
    { name: 'keystrokes with a list, code town', aim: 99, cases: () => keystrokeCases(codeFirst) },
    {
      name: 'town stays, any place near',
      aim: 95,
      before: 9,
      cases: () => townFirst.map((line) => townCase(line, near(line))),
    },
    {
      name: 'town stays, named so',
      cases: () => townFirst.filter(({ isOwnName }) => isOwnName).map((line) => townCase(line, named(line))),
    },
    {
      name: 'town stays, letters behind it',
      aim: 95,
      before: 80,
      cases: () => withLetters.map((line) => townCase(line, near(line))),
    },
    {
      name: 'a list throughout, code town in country',
      aim: 95,
      before: 77,
      cases: () => inCountry.map(listCase),
    },
  ];
}

/** Right if there is a list after every character. */
function listCase({ country, rest }) {
  return {
    label: `${rest} (in ${country})`,
    judge: (suggest) => keystrokes(rest, SHORTEST_QUERY).find((query) => suggest(query, country, FIVE).length === 0),
  };
}

function keystrokeCases(lines) {
  return lines.flatMap(({ line, country }, group) =>
    keystrokes(line, SHORTEST_QUERY).map((query) =>
      caseOf({ query, meant: `${country} ${line}`, group }, (found) => found.length > 0),
    ),
  );
}

/** Right if a fitting place is among five after every character once the town was typed. */
function townCase({ line, town, country, position }, fits) {
  return {
    label: `${line} (${country})`,
    judge(suggest) {
      for (const query of keystrokes(line, town.length)) {
        const found = suggest(query, undefined, FIVE);
        if (!found.some(fits)) return `${query}: ${describe(found, position)}`;
      }
      return undefined;
    },
  };
}

function keystrokes(line, from) {
  return Array.from({ length: Math.max(0, line.length - from + 1) }, (_, more) => line.slice(0, from + more));
}
