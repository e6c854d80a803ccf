/**
 * The style sheet of the shadow trees. Colours are the system's, so the elements follow the page's `color-scheme`, light
 * or dark, and forced colours; a page sets its own with custom properties or `::part()`. Directions are logical, for
 * pages from right to left. A constructed sheet needs no exception in a Content Security Policy.
 */
const CSS = `
:host {
  --_accent: var(--postal-accent, light-dark(#0b57d0, #a8c7fa));
  --_background: var(--postal-background, Field);
  --_border: var(--postal-border, color-mix(in srgb, FieldText 55%, Field));
  --_color: var(--postal-color, FieldText);
  --_error: var(--postal-error, light-dark(#b3261e, #f2b8b5));
  --_gap: var(--postal-gap, 1rem);
  --_hint: var(--postal-hint, color-mix(in srgb, CanvasText 75%, Canvas));
  --_radius: var(--postal-radius, 0.375rem);
  display: block;
  font: inherit;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
fieldset { display: flex; flex-wrap: wrap; gap: var(--_gap); border: 0; margin: 0; padding: 0; min-inline-size: 0; }
.field { flex: 1 1 100%; min-inline-size: 0; }
.field.postal-code { flex: 1 1 9rem; }
.field.city { flex: 3 1 13rem; }
.field.state { flex: 2 1 11rem; }
label { display: block; margin-block-end: 0.25rem; }
label small { color: var(--_hint); }
.box { position: relative; }
input, select {
  inline-size: 100%;
  min-block-size: 2.75rem;
  padding: 0.4rem 0.65rem;
  font: inherit;
  color: var(--_color);
  background: var(--_background);
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
}
/* Texts have their own direction, and stand where the page's begin. */
:host(:dir(rtl)) :is(label, input, p) { text-align: right; }
:is(input, select):disabled { opacity: 0.6; }
:is(input, select):focus-visible { outline: 2px solid var(--_accent); outline-offset: 1px; }
input[aria-invalid] { border-color: var(--_error); }
p { margin: 0.25rem 0 0; font-size: 0.875em; }
/* Hidden, it would be no live region when its text comes. */
p:empty { margin: 0; }
.hint { color: var(--_hint); }
.error { color: var(--_error); }
ul {
  position: absolute;
  z-index: 10;
  inset-inline: 0;
  max-block-size: 20rem;
  overflow-y: auto;
  margin: 0.2rem 0 0;
  padding: 0.25rem;
  list-style: none;
  color: var(--_color);
  background: var(--_background);
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
  box-shadow: 0 0.25rem 1rem rgb(0 0 0 / 25%);
}
li { padding: 0.55rem; border-radius: calc(var(--_radius) - 1px); cursor: default; }
li small { color: color-mix(in srgb, currentColor 75%, var(--_background)); }
li:hover { background: color-mix(in srgb, var(--_color) 10%, var(--_background)); }
li[aria-selected='true'] { outline: 2px solid var(--_accent); outline-offset: -2px; background: color-mix(in srgb, var(--_color) 10%, var(--_background)); }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

let made: CSSStyleSheet | undefined;

/** One sheet for all elements of the page. */
export function styleSheet(): CSSStyleSheet {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(CSS);
  }
  return made;
}
