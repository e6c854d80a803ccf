/**
 * An API that is hostile or broken: names with markup, wrong types, endless lists, pages of proxies. Nothing is executed,
 * nothing is thrown that the page sees, and the form is sent. One page has an element for each kind of answer.
 */

import { expect, test } from '@jest/globals';
import { takeComplaints } from '../../site/browser-scene.js';
import { type Answer, answerWith, formAround, page, scene, send } from './web-scene.js';

const MARKUP = '<img src=x onerror="hacked=1"><script>hacked=1</script>&amp;';
const UNIT = { id: MARKUP, name: MARKUP, localName: MARKUP, type: 'region', level: 1, iso3166_2: MARKUP };
const PLACE = {
  ...UNIT,
  type: 'locality',
  ...{ label: `${MARKUP}, ${MARKUP}, ${MARKUP}`, placeName: MARKUP, postalCode: MARKUP, countryCode: 'DE' },
  ...{ latitude: 0, longitude: 0, path: 'javascript:hacked=1', url: 'javascript:hacked=1', population: 1 },
  ...{ ancestors: [UNIT], context: [UNIT] },
};
const WRONG = [null, 0, true, '', 'text', [], {}, [null], [[]], [0], ['text'], { name: 1 }, [{ name: {} }]];

/** A list where the elements expect one, and for the other operations an object with these fields. */
function answerAs(list: unknown, fields: object): Answer {
  return (response, target) =>
    answerWith(200, { data: target.includes('/autocomplete?') ? list : fields })(response, target);
}

function manyOf<Item>(make: (at: number) => Item): Item[] {
  return Array.from({ length: 300 }, (_, at) => make(at));
}

const ANSWERS: readonly (readonly [string, Answer])[] = [
  [
    'names with markup',
    answerAs([PLACE, PLACE], {
      postcode: '10117',
      match: 'exact',
      places: [PLACE, { ...PLACE, name: 'x' }],
      items: [{ postcode: MARKUP }],
    }),
  ],
  [
    'lists of 300',
    answerAs(
      manyOf(() => PLACE),
      {
        postcode: '10117',
        items: manyOf((at) => ({ postcode: `${at}` })),
        places: manyOf((at) => ({ ...PLACE, name: `Place ${at}` })),
      },
    ),
  ],
  // Some megabytes, far more than the elements read.
  [
    'a list of 100,000',
    answerAs([PLACE], {
      postcode: '10117',
      places: [PLACE],
      items: Array.from({ length: 100_000 }, (_, at) => ({ postcode: `${at}` })),
    }),
  ],
  [
    'a redirect that takes the key elsewhere',
    (response, target) => {
      const elsewhere = `${scene.api.origin}/elsewhere${target}?key=taken`;
      response.writeHead(307, { location: elsewhere, 'access-control-allow-origin': '*' }).end();
    },
  ],
  ['a name of 100,000 characters', answerAs([{ ...PLACE, name: 'x'.repeat(1e5) }], {})],
  ...WRONG.map((value) => [`${JSON.stringify(value)} for all data`, answerWith(200, { data: value })] as const),
  ...WRONG.map((value) => {
    const fields = {
      postcode: value,
      match: value,
      inferred: value,
      withdrawn: value,
      hasNextPage: value,
      places: value,
      items: value,
    };
    return [`${JSON.stringify(value)} for each field`, answerAs([value], fields)] as const;
  }),
  ...WRONG.map((value) => {
    const place = {
      ...PLACE,
      name: value,
      localName: value,
      ancestors: value,
      context: value,
      label: value,
      type: value,
    };
    const others = { postcode: '10117', match: 'exact', places: [place], items: [place] };
    return [`places with ${JSON.stringify(value)}`, answerAs([place], others)] as const;
  }),
  ...WRONG.map((value) => {
    const place = { ...PLACE, ancestors: value, context: value, population: value, countryCode: 'DE' };
    return [
      `units that are ${JSON.stringify(value)}`,
      answerAs([place], { postcode: '10117', places: [place] }),
    ] as const;
  }),
  ['no data', answerWith(200, {})],
  ['null', answerWith(200, 'null')],
  ['broken JSON', answerWith(200, '{"data": [')],
  ['nothing', answerWith(204, '')],
  ['the page of a proxy', answerWith(502, '<html><script>hacked=1</script>502</html>', 'text/html')],
  ['the page of a captive portal', answerWith(200, '<html>Welcome</html>', 'text/html')],
  [
    'half an answer',
    (response) => {
      const headers = { 'content-length': '99', 'access-control-allow-origin': '*' };
      response.writeHead(200, headers).write('{', () => response.destroy());
    },
  ],
];

/** Counts the requests of the page whose answer the elements have not read yet; they get it in pieces, as from a network. */
const PREPARE = `
  globalThis.hacked = 0;
  globalThis.running = 0;
  const send = fetch;
  globalThis.fetch = async (...request) => {
    running++;
    try {
      const response = await send(...request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const pieces = new ReadableStream({
        start(stream) {
          for (let at = 0; at < bytes.length; at += 65536) stream.enqueue(bytes.subarray(at, at + 65536));
          stream.close();
        },
      });
      return new Response(bytes.length > 0 ? pieces : null, response);
    } finally {
      setTimeout(() => running--);
    }
  };`;

/** Writes, opens lists and chooses in one element, as a user does; the number of options that it showed, and of markup in it. */
const USE = `(async (element) => {
  const field = (id) => element.shadowRoot.getElementById(id);
  const press = (input, key) => input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const write = (input, value) => {
    input.focus();
    input.value = value;
    input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
  };
  const answered = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 2)); while (running > 0);
  };
  const [code, city] = [field('postal-code'), field('city')];
  let optionCount = 0;
  const look = () => { optionCount = Math.max(optionCount, element.shadowRoot.querySelectorAll('[role=option]').length); };
  write(code, '10117');
  await answered();
  for (const [input, text] of [[city, ''], [city, 'Be'], [code, '1011'], [code, '']]) {
    write(input, text);
    press(input, 'ArrowDown');
    await answered();
    look();
    press(input, 'Enter');
    await answered();
  }
  write(city, 'Berlin');
  write(code, '10117');
  write(field('street'), 'Unter den Linden 77');
  await answered();
  return [optionCount, element.shadowRoot.querySelectorAll('img, script, a, iframe').length];
})`;

test('nothing is executed, nothing is thrown, and the form is sent', async () => {
  const elements = ANSWERS.map(
    (_, at) =>
      `<postal-address-form key="${scene.key}" api="${scene.api.origin}/${at}" name="n${at}" country="DE" countries="DE"></postal-address-form>`,
  );
  await page.addInitScript(PREPARE);
  await scene.show(page, formAround(elements.join('')));
  scene.api.answer = (response, target) => {
    ANSWERS[Number(target.split('/')[1])]?.[1](response, target);
  };
  const seen: Record<string, [number, number]> = {};
  for (const [at, [name]] of ANSWERS.entries()) {
    seen[name] = await page.evaluate(`${USE}(document.querySelectorAll('postal-address-form')[${at}])`);
  }
  expect(seen['names with markup']).toEqual([2, 0]);
  expect(seen['lists of 300']).toEqual([100, 0]);
  expect(seen['a list of 100,000']).toEqual([0, 0]);
  for (const [optionCount, markupCount] of Object.values(seen)) {
    expect(optionCount).toBeLessThanOrEqual(100);
    expect(markupCount).toBe(0);
  }
  expect(await page.evaluate('hacked')).toBe(0);
  const asked = new Set(scene.api.targets.map((target) => Number(target.split('/')[1])));
  // Each element asked, and none went where a redirect leads.
  expect([...asked].sort((a, b) => a - b)).toEqual([...ANSWERS.keys()]);
  const sent = await send();
  expect(sent).toEqual(
    ANSWERS.flatMap((_, at) => [
      [`n${at}-country`, 'DE'],
      [`n${at}-street`, 'Unter den Linden 77'],
      [`n${at}-postal-code`, '10117'],
      [`n${at}-city`, 'Berlin'],
    ]),
  );
  const complaints = takeComplaints();
  expect(complaints.filter((text) => !text.startsWith('postal-places: '))).toEqual([]);
  // One for each element that can't read an answer at all.
  expect(complaints.length).toBeLessThan(10);
});
