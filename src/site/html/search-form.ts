/**
 * The search box. Without a script it is a form; the script site.js makes a combobox of it, whose list is the element
 * behind the field.
 */
import { type Html, html } from './html.js';

export function searchForm(query: string): Html {
  return html`<form class="search" action="/search" role="search">
<input type="search" name="q" value="${query}" placeholder="Place or postal code" aria-label="Place or postal code" \
autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100" required>
<button>Search</button>
<ul class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
<p class="unseen" role="status"></p>
</form>`;
}
