/** The script of the reference: forms to try calls, the reader's own key and plan, one language for all examples. */
import { type AccountKey, readAccountKeys, revealKey } from './account-keys.js';
import { forgetForeignKey, setKey, shareKey } from './api-key.js';
import { offerTrying } from './trying.js';

const article = document.querySelector<HTMLElement>('.reference');
const keyFields = [...document.querySelectorAll<HTMLInputElement>('input.api-key')];

shareKey(keyFields);
for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
  offerTrying(details, article?.dataset.api ?? '');
}
for (const details of document.querySelectorAll<HTMLDetailsElement>('details.example')) {
  details.addEventListener('toggle', () => openSameLanguage(details));
}
if (article?.dataset.accounts !== undefined) {
  // Where accounts can't be asked, the page is that of a reader who is not signed in.
  offerAccount().catch((error: unknown) => console.warn('the account was not asked', error));
}

/** Opens the same language in the examples of the other calls; the group of each closes the language that was open. */
function openSameLanguage(opened: HTMLDetailsElement): void {
  if (!opened.open) return;
  const languageOf = (details: Element): string => details.querySelector('summary')?.textContent ?? '';
  const top = opened.getBoundingClientRect().top;
  for (const other of document.querySelectorAll<HTMLDetailsElement>('details.example')) {
    if (!other.open && languageOf(other) === languageOf(opened)) other.open = true;
  }
  // What the reader looks at stays where it is, however the calls above have grown.
  window.scrollBy(0, opened.getBoundingClientRect().top - top);
}

async function offerAccount(): Promise<void> {
  const { keys, isFresh } = await readAccountKeys();
  forgetForeignKey(keyFields, keys);
  const [key] = keys;
  if (key === undefined) return;
  for (const line of document.querySelectorAll<HTMLElement>('p.plan')) {
    line.textContent = `Your key “${key.name}” is on the plan ${key.plan}.`;
    line.hidden = false;
  }
  for (const { form } of keyFields) form?.append(isFresh ? useButton(key) : signInLink());
}

function useButton(key: AccountKey): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Use my key';
  button.addEventListener('click', async () => {
    try {
      const clearKey = await revealKey(key.id);
      if (clearKey === undefined) button.replaceWith(signInLink());
      else setKey(keyFields, clearKey, key.id);
    } catch {
      button.textContent = 'The site was not reached: try again';
    }
  });
  return button;
}

function signInLink(): HTMLElement {
  const link = document.createElement('a');
  link.href = '/account';
  link.textContent = 'Sign in again to use your key';
  return link;
}
