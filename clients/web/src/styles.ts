/** The sheet of styles.css. A constructed sheet needs no exception in a Content Security Policy. */

/** The minified text of styles.css, which the bundler puts in. */
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
