/** The measures of bench:lines of lines as they are typed: a query for every character from the second one on. */
import { foldText } from '../../../dist/src/format/fold-text.js';
import { FORMS_BY_COUNTRY } from './customs.mjs';
import { drawLine } from './drawn-lines.mjs';
import { caseOf, describe, FIVE, isNear } from './judging.mjs';
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
  ];
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
