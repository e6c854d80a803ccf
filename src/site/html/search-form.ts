/**
 * The search form: on pages of documents it searches them, elsewhere places. The script site.js makes a combobox of it,
 * whose list is the element behind the field; without a script it is a form.
 */

import { type Html, html } from './html.js';

const DOCUMENTS = /^\/docs(?:\/|$)/;

/** `path` is the path of the page that the form stands on. */
export function searchForm(query: string, path = ''): Html {
  const [action, label] = DOCUMENTS.test(path) ? ['/docs/search', 'Search docs'] : ['/search', 'Place or postal code'];
  return html`<form class="search" action="${action}" role="search">
<input type="search" name="q" value="${query}" placeholder="${label}" aria-label="${label}" \
autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100" required>
<button>Search</button>
<ul class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
<p class="unseen" role="status"></p>
</form>`;
}
