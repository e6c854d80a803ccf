/** The script of every page. Each page works without it. */
import { addCopyButton } from './copying.js';
import { hideInTime } from './hiding.js';
import { offerLocating } from './locating.js';
import { suggestIn } from './suggestions.js';

document.querySelectorAll<HTMLFormElement>('form.search').forEach(suggestIn);
document.querySelectorAll<HTMLElement>('code.copy').forEach(addCopyButton);
document.querySelectorAll<HTMLElement>('.locate').forEach(offerLocating);
document.querySelectorAll<HTMLElement>('[data-hides]').forEach(hideInTime);
// The page of such a form is only a step on the way; browsers leave it out where one goes back.
document.querySelectorAll<HTMLFormElement>('form[data-sends]').forEach((form) => {
  form.requestSubmit();
});
