/**
 * Markup with the values escaped: the tag `html` escapes every value of its template but markup made by it, so text
 * from a snapshot or a request can't become markup. Lists are joined, and `undefined` and `false` are left out, so that
 * a condition can stand in a template. A template costs about a microsecond for ten values. Attributes must be quoted.
 */

export class Html {
  constructor(readonly text: string) {}
}

export type Content = Html | string | number | false | undefined | readonly Content[];

const SPECIAL = /[&<>"']/;
const EVERY_SPECIAL = /[&<>"']/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] as string;
  for (let at = 0; at < values.length; at++) text += render(values[at]) + (parts[at + 1] as string);
  return new Html(text);
}

export function escapeHtml(text: string): string {
  // Most names have nothing to escape.
  return SPECIAL.test(text) ? text.replace(EVERY_SPECIAL, (character) => ENTITIES[character] as string) : text;
}

function render(value: Content): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return '';
  if (typeof value === 'number') return String(value);
  let text = '';
  for (const one of value) text += render(one);
  return text;
}

/** Contents with `separator` between them. */
export function joined(contents: readonly Content[], separator: string): Content {
  return contents.flatMap((content, at) => (at === 0 ? [content] : [separator, content]));
}

/*
 * Linked data for search engines (JSON-LD with the vocabulary of schema.org) as a data block, which a strict
 * Content-Security-Policy lets pass, since nothing runs it. `<` is escaped, so no text can end the block.
 */

export function jsonLd(data: object): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return new Html(`<script type="application/ld+json">{"@context":"https://schema.org",${json.slice(1)}</script>`);
}

/** Where a page stands: names and absolute addresses, the outermost first. */
export function breadcrumbs(items: readonly { readonly name: string; readonly url: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: items.map(({ name, url }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: url,
    })),
  };
}

/* The frame of every table: it scrolls by itself where the table is wider than the page, also with a keyboard. */

/** `label` names the table for screen readers. */
export function wideTable(label: string, table: Html): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}">${table}</div>
`;
}

/* The name of a country inside a sentence: "the United States", "Liechtenstein". */

const WITH_ARTICLE =
  /^(?:United|Bahamas$|Comoros$|Gambia$|Maldives$|Philippines$|Seychelles$|(?:Democratic )?Republic of)|(?:Islands|Republic|Territory|Territories)$/;
/** Several islands of which the first is called without it. */
const WITHOUT_ARTICLE = /^(?:Heard Island|South Georgia) and /;

export function inSentence(name: string): string {
  return WITH_ARTICLE.test(name) && !WITHOUT_ARTICLE.test(name) ? `the ${name}` : name;
}

/** The same at the start of a sentence: "The Bahamas". */
export function atSentenceStart(name: string): string {
  const text = inSentence(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/*
 * The language of local names, for screen readers and for fonts, which draw one character otherwise in Japanese than in
 * Chinese: where a country's names are in a script of their own, that script's language there.
 */

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ AM: 'hy', BD: 'bn', BG: 'bg', BY: 'be', CN: 'zh-Hans', CY: 'el', DZ: 'ar', EG: 'ar', GE: 'ka', GR: 'el' },
  ...{ HK: 'zh-Hant', IL: 'he', IQ: 'ar', IR: 'fa', JO: 'ar', JP: 'ja', KR: 'ko', KW: 'ar', KZ: 'kk', LA: 'lo' },
  ...{ LB: 'ar', MA: 'ar', MK: 'mk', MN: 'mn', MO: 'zh-Hant', OM: 'ar', PK: 'ur', RS: 'sr', RU: 'ru', SA: 'ar' },
  ...{ TH: 'th', TW: 'zh-Hant', UA: 'uk' },
};

const OTHER_THAN_LATIN = /(?!\p{Script=Latin})\p{L}/u;

/** Undefined where the name is in Latin letters, or the language is not known. */
export function languageOf(name: string, countryCode: string): string | undefined {
  return OTHER_THAN_LATIN.test(name) ? LANGUAGES[countryCode] : undefined;
}
