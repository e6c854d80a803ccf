/**
 * Code in colours: highlight.js finds names, texts, numbers and words of the language on the server and gives each a
 * class, which the stylesheet colours. A block takes some 0.3 ms for each kB, so pages that are not kept should show short
 * ones. The script site.js adds a copy button to each block.
 */

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

// The languages of the documents, by the names that Markdown and the tabs of calls give them.
for (const [name, grammar] of Object.entries({ bash, javascript, json, nginx, python, ruby, sql, xml })) {
  hljs.registerLanguage(name, grammar);
}
hljs.registerAliases(['curl', 'console'], { languageName: 'bash' });
hljs.registerAliases('ts', { languageName: 'javascript' });
hljs.configure({ classPrefix: 'hl-' });

/** Has no colour, and is a third of JSON's markup. */
const PUNCTUATION = /<span class="hl-punctuation">([^<]*)<\/span>/g;

/** Code in a language that is not known, such as CSV, stays plain. */
export function highlight(code: string, language: string): Html {
  if (hljs.getLanguage(language) === undefined) return new Html(escapeHtml(code));
  // A shortened example is no whole JSON.
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  return new Html(value.replace(PUNCTUATION, '$1'));
}

/** A block of code, which a keyboard can scroll: it is focusable. */
export function codeBlock(code: string, language: string, isResponse = false): Html {
  return html`<pre${isResponse && html` class="response"`} tabindex="0"><code>${highlight(code, language)}</code></pre>`;
}
