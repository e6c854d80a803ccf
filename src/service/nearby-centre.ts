/** The rule about the parameters of nearby's centre, which are optional one by one: three ways to give it, unmixed. */
import type { ParameterFault } from './domain-error.js';

const WAYS = [
  ['lat', 'lng'],
  ['country', 'postcode'],
  ['country', 'place'],
] as const;

/** All parameters of WAYS, in the order of the route. */
const PARAMS = ['lat', 'lng', 'country', 'postcode', 'place'] as const;

type CentreParam = (typeof PARAMS)[number];

/** What the centre must be. */
export const CENTRE = `${WAYS.map((way) => way.join(' and ')).join(', or ')}, and nothing beside these`;

/**
 * What is missing of, or must not stand beside, the way that most of the given parameters belong to; the first way of
 * several. A parameter is given unless it is undefined.
 */
export function findCentreFaults(centre: Readonly<Partial<Record<CentreParam, unknown>>>): ParameterFault[] {
  const isGiven = (param: CentreParam): boolean => centre[param] !== undefined;
  const givenCounts = WAYS.map((way) => way.filter(isGiven).length);
  const way: readonly CentreParam[] = WAYS[givenCounts.indexOf(Math.max(...givenCounts))] as (typeof WAYS)[number];
  const begun = way.filter(isGiven).join(' and ');
  return PARAMS.filter((param) => isGiven(param) !== way.includes(param)).map((param) => {
    const problem = isGiven(param)
      ? `is not allowed with ${begun}`
      : `is required${begun === '' ? '' : ` with ${begun}`}`;
    return { param, message: `${param} ${problem}`, expected: CENTRE };
  });
}
