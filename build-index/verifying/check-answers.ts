/**
 * Checks every rendered answer: that it is JSON of exactly the form the server promises, that it agrees with the tree
 * and with its parent's, and that the cuts are where they should be. The strictest form of that is to render it again.
 */
import {
  CUT_COUNT,
  CUTS,
  type PlaceAnswer,
  type PlaceAnswers,
  renderPlaceAnswer,
} from '../../src/format/place-answers.js';
import { decodePlaceId, ID_BYTES } from '../../src/format/place-id.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { levelOf } from '../../src/store/place-tree.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { expect } from './expect.js';

/** What the other checks need of the answers, by place. */
export interface PlaceFields {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly localNames: readonly string[];
  readonly paths: readonly string[];
  readonly postalCodes: readonly (string | null)[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
}

export function checkAnswers({ tree, answers }: CountryStructures, code: string, pageUrl: string): PlaceFields {
  const where = `place-answers of ${code}`;
  const { placeCount } = tree;
  const fields = {
    ids: [] as string[],
    names: [] as string[],
    localNames: [] as string[],
    paths: [] as string[],
    postalCodes: [] as (string | null)[],
    latitudes: new Float64Array(placeCount),
    longitudes: new Float64Array(placeCount),
  };
  for (let place = 0; place < placeCount; place++) {
    const text = answerText(answers, place, where);
    const answer = parseAnswer(text.slice(0, -1), where);
    const parts = renderPlaceAnswer(answer);
    expect(parts.join('') === text, where, `place ${place} in the promised form`, () => text);
    checkCuts(answers, place, parts, where);

    const parent = tree.parents[place] as number;
    const parentPath = parent === NO_PARENT ? '' : fields.paths[parent];
    const expected = {
      id: decodePlaceId(tree.ids, place * ID_BYTES),
      countryCode: code,
      level: levelOf(tree, place),
      path: `${parentPath}/${answer.slug}`,
      parentId: parent === NO_PARENT ? null : fields.ids[parent],
      url: `${pageUrl}${parentPath}/${answer.slug}`,
    };
    for (const [name, value] of Object.entries(expected)) {
      const found = answer[name as keyof typeof expected];
      expect(found === value, where, `${name} of place ${place} to be ${value}`, () => found);
    }
    expect(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(answer.slug), where, `a slug for place ${place}`, () => answer.slug);
    fields.ids.push(answer.id);
    fields.names.push(answer.name);
    fields.localNames.push(answer.localName);
    fields.paths.push(answer.path);
    fields.postalCodes.push(answer.postalCode);
    fields.latitudes[place] = answer.latitude;
    fields.longitudes[place] = answer.longitude;
  }
  return fields;
}

function answerText({ offsets, text }: PlaceAnswers, place: number, where: string): string {
  const start = offsets[place] as number;
  const end = offsets[place + 1] as number;
  expect(start < end && end <= text.length, where, `an answer for place ${place}`, () => `bytes ${start} to ${end}`);
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('utf8');
}

function parseAnswer(json: string, where: string): PlaceAnswer {
  try {
    return JSON.parse(json) as PlaceAnswer;
  } catch {
    expect(false, where, 'JSON', () => json);
  }
}

function checkCuts({ cuts }: PlaceAnswers, place: number, parts: readonly string[], where: string): void {
  const ends: number[] = [];
  let length = 0;
  for (const part of parts) {
    length += Buffer.byteLength(part);
    ends.push(length);
  }
  for (const [name, which] of Object.entries(CUTS)) {
    const found = cuts[place * CUT_COUNT + which];
    expect(found === ends[which], where, `${name} of place ${place} at ${ends[which]}`, () => found);
  }
}
