/**
 * Whether the user is writing. Browsers send the same `invalid` event when a form is sent and when a page asks
 * `form.checkValidity()`, as many do after every letter: errors and a focus that moves belong to the first alone.
 */

/** Inputs that a user sends a form with. */
const BUTTONS = '[type=submit], [type=image], [type=button]';
const FIELDS = 'input, textarea, select, label, postal-address-form, postal-code-input';

let isWritingNow = false;

/** Watches keys, pointers and clicks of the page from now on; calls after the first change nothing. */
export function watchWriting(): void {
  // Screen readers and voice control click without a key or a pointer.
  for (const type of ['keydown', 'pointerdown', 'click']) document.addEventListener(type, note, true);
}

/** Whether the latest key, pointer or click was for a field, and no Enter or shortcut. */
export function isWriting(): boolean {
  return isWritingNow;
}

function note(event: Event): void {
  const { target, key, ctrlKey, metaKey } = event as KeyboardEvent;
  const isField = target instanceof Element && !target.matches(BUTTONS) && target.matches(FIELDS);
  isWritingNow = isField && key !== 'Enter' && !ctrlKey && !metaKey;
}
