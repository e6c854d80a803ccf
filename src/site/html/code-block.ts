/**
 * Code in colours: names of fields, texts, numbers, words of the language and comments have a class each, which the
 * stylesheet colours; all else stays as it is. Highlight.js finds them, on the server. A block takes some 0.3 ms for
 * each kB, so pages that are not kept should show short ones. The script site.js adds a copy button to each block.
 */

import type { Emitter } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import sql from 'highlight.js/lib/languages/sql';
import xml from 'highlight.js/lib/languages/xml';
import { escapeHtml, Html, html } from './html.js';

/** What highlight.js finds, by the class that it gets. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'hl-name': ['attr', 'attribute'],
  'hl-word': ['name', 'selector-tag', 'keyword', 'built_in'],
  'hl-text': ['string', 'regexp'],
  'hl-number': ['number', 'literal'],
  'hl-comment': ['comment', 'meta'],
};
const CLASSES = new Map(Object.entries(SCOPES).flatMap(([name, scopes]) => scopes.map((scope) => [scope, name])));

/** Writes markup while highlight.js reads; a scope without a class, or within a coloured one, leaves nothing. */
class Markup implements Emitter {
  #text = '';
  readonly #ends: string[] = [];

  startScope = (scope: string): void => {
    const name = this.#ends.some((end) => end !== '') ? undefined : CLASSES.get(scope);
    if (name !== undefined) this.#text += `<span class="${name}">`;
    this.#ends.push(name === undefined ? '' : '</span>');
  };
  endScope = (): void => {
    this.#text += this.#ends.pop() ?? '';
  };
  // Highlight.js calls both by two names.
  readonly openNode = this.startScope;
  readonly closeNode = this.endScope;
  addText(text: string): void {
    this.#text += escapeHtml(text);
  }
  __addSublanguage({ toHTML }: Emitter): void {
    this.#text += toHTML();
  }
  finalize(): void {
    while (this.#ends.length > 0) this.endScope();
  }
  toHTML = (): string => this.#text;
}

// The languages of the documents, by the names that Markdown and the tabs of calls give them.
for (const [name, grammar] of Object.entries({ bash, javascript, json, nginx, python, ruby, sql, xml })) {
  hljs.registerLanguage(name, grammar);
}
hljs.registerAliases(['curl', 'console'], { languageName: 'bash' });
hljs.registerAliases('ts', { languageName: 'javascript' });
hljs.configure({ __emitter: Markup });

/** Code in a language that is not known, such as CSV, stays plain. */
export function highlight(code: string, language: string): Html {
  if (hljs.getLanguage(language) === undefined) return new Html(escapeHtml(code));
  // A shortened example is no whole JSON.
  return new Html(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

/** A block of code, which a keyboard can scroll: it is focusable. */
export function codeBlock(code: string, language: string, isResponse = false): Html {
  return html`<pre${isResponse && html` class="response"`} tabindex="0"><code>${highlight(code, language)}</code></pre>`;
}
