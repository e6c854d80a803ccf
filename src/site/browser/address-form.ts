/**
 * The script of the page of the address form: codes to try, what the form sends, and the reader's key in the snippet.
 */
import { readPublishableKeys } from './account-keys.js';

/** What the page uses of `<postal-address-form>`. */
interface AddressElement extends HTMLElement {
  value: object;
}
interface Change {
  readonly place: object | null;
}

const KEY_TO_PUT_IN = 'pp_pub_…';

const form = document.querySelector<HTMLFormElement>('.demo form');
const element = document.querySelector<AddressElement>('postal-address-form');
const tried = document.querySelector<HTMLElement>('.tried');
const sent = document.querySelector<HTMLElement>('.sent');
const snippet = document.querySelector<HTMLElement>('.snippet');

if (form !== null && element !== null && tried !== null && sent !== null) show(form, element, tried, sent);
if (snippet?.dataset.accounts !== undefined) {
  // Without an answer, the page stays that of a reader who is not signed in.
  putKeyIn(snippet).catch((error: unknown) => console.warn('the account was not asked', error));
}

function show(form: HTMLFormElement, element: AddressElement, tried: HTMLElement, sent: HTMLElement): void {
  let known: Change | undefined;
  element.addEventListener('change', (event) => {
    known = (event as CustomEvent<Change>).detail;
  });
  tried.hidden = false;
  for (const button of tried.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      element.value = { country: button.dataset.country, street: '', suburb: '', city: '', state: '', postalCode: '' };
      element.value = { postalCode: button.dataset.code };
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    sent.replaceChildren(
      ...block('The form sends these fields', fields),
      ...block('The last change event had this place', known?.place ?? null),
    );
    sent.hidden = false;
  });
}

function block(title: string, value: unknown): HTMLElement[] {
  const [heading, pre] = [document.createElement('p'), document.createElement('pre')];
  heading.textContent = title;
  pre.textContent = JSON.stringify(value, null, 2);
  pre.tabIndex = 0;
  return [heading, pre];
}

/** Puts the reader's newest publishable key into the snippet. */
async function putKeyIn(snippet: HTMLElement): Promise<void> {
  const key = (await readPublishableKeys()).at(-1);
  const whose = document.querySelector('.whose');
  if (key === undefined || whose === null) return;
  snippet.textContent = (snippet.textContent ?? '').replace(KEY_TO_PUT_IN, key.clearKey);
  whose.textContent = `This is your key “${key.name}”, for the pages of its own origins.`;
}
