/** The section "Also called": the names of a place or country in other languages. */

import { formatCounted } from '../html/formats.js';
import { type Content, html } from '../html/html.js';
import { section } from '../html/section.js';

/** Maximum number of names: a page stays under 40 kB. */
const MAX_NAMES = 24;
/** Maximum number of languages that are named behind a name. */
const MAX_LANGUAGES = 3;
/** The languages with the most readers come first: a name that several languages share has the `lang` of the first. */
const FIRST_LANGUAGES = 'en es fr de pt it nl pl ru uk ar fa zh ja ko tr'.split(' ');
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** `names` are the names by language tags. A name of several languages is shown once. */
export function otherNamesSection(names: ReadonlyMap<string, string>): Content {
  const tags = new Set([...FIRST_LANGUAGES.filter((tag) => names.has(tag)), ...names.keys()]);
  const tagsOf = new Map<string, string[]>();
  for (const tag of tags) {
    const name = names.get(tag) as string;
    if (languageNames.of(tag) !== undefined) tagsOf.set(name, [...(tagsOf.get(name) ?? []), tag]);
  }
  const items = [...tagsOf].slice(0, MAX_NAMES).map(([name, tags]) => {
    const languages = tags.slice(0, MAX_LANGUAGES).map((tag) => languageNames.of(tag));
    const others = tags.length - languages.length;
    const text = `${languages.join(', ')}${others > 0 ? ` and ${formatCounted(others, 'more language')}` : ''}`;
    return html`<li><bdi lang="${tags[0]}">${name}</bdi> <small>${text}</small></li>`;
  });
  return section('names', 'Also called', items.length > 0 && html`<ul class="names">${items}</ul>`);
}
