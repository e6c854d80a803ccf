/** The style sheet, constructed from styles.css: such a sheet needs no exception in a Content Security Policy. */

/** The minified text of styles.css, which the bundler inserts. */
declare const STYLES: string;

let made: CSSStyleSheet | undefined;

/** One sheet for all elements of the page. */
export function styleSheet(): CSSStyleSheet {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(STYLES);
  }
  return made;
}
