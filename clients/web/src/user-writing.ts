/**
 * Whether the user is writing. Browsers send the same `invalid` event when a form is sent and when a page calls
 * `form.checkValidity()`, as many pages do after every letter; only the sending should show errors and move the focus.
 * A wrong guess costs little: the browser then shows its own message.
 */

/** The fields in which a user writes or chooses. The inputs that are left out send a form. */
const FIELDS =
  'input:not([type=submit], [type=image], [type=button]), textarea, select, label, postal-address-form, postal-code-input';

let isWritingNow = false;

/** Watches keys, pointers and clicks of the page from now on; calls after the first change nothing. */
export function watchWriting(): void {
  // Screen readers and voice control click without a key or a pointer.
  for (const type of ['keydown', 'pointerdown', 'click']) document.addEventListener(type, note, true);
}

/** Whether the latest key, pointer or click was for a field, even in another component, and not Enter. */
export function isWriting(): boolean {
  return isWritingNow;
}

function note(event: Event): void {
  const isField = event.composedPath().some((node) => node instanceof Element && node.matches(FIELDS));
  isWritingNow = isField && (event as KeyboardEvent).key !== 'Enter';
}
