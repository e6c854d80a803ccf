/** The changes since a release, as JSON Schemas by name. */
import { CHANGE_KINDS } from '../format/release-changes.js';
import { COUNTRY_CODE, PATH, POSTAL_CODE, pageOf, UUID } from './field-schemas.js';
import { listOf, object, text } from './json-schema.js';

const PlaceChange = object(
  {
    release: text('Release that the change came with'),
    countryCode: COUNTRY_CODE,
    change: text(
      'What happened. `added`, `removed`: the place is new, or gone. `moved`: it has another path or parent. `renamed`: it ' +
        'has another name. A place that was moved and renamed has an entry for each',
      { enum: [...CHANGE_KINDS] },
    ),
    id: text('Of a removed place, the id that it had, like the fields below', UUID),
    path: PATH,
    name: text('Name in Latin letters'),
    localName: text('Name in the local script'),
    type: text('Kind of place, as `type` of a place'),
    postalCode: POSTAL_CODE,
    oldId: text('Of a renamed place, the id before, if it is another', UUID),
    oldPath: {
      ...PATH,
      description:
        'Path before: of every moved place (the same where only the parent is another), and of a renamed one if it is another',
    },
    oldName: text('Name before, of every renamed place'),
    oldLocalName: text('Local name before, of a renamed place, if it is another'),
  },
  ['oldId', 'oldPath', 'oldName', 'oldLocalName'],
);

const ChangePage = object({
  since: text('The release that was asked for'),
  release: text('The release that is served'),
  countriesNotListed: {
    ...listOf(COUNTRY_CODE),
    description: 'Countries with so many changes that `items` has none of them; read these countries again as a whole',
  },
  ...pageOf('PlaceChange', 'Changes').properties,
});

export const changeSchemas = { PlaceChange, ChangePage };
