/** The name of a country in a sentence, with its article: "the United States", "Liechtenstein". */

import { capitalize } from './formats.js';

const WITH_ARTICLE =
  /^(?:United|Bahamas$|Comoros$|Gambia$|Maldives$|Philippines$|Seychelles$|(?:Democratic )?Republic of)|(?:Islands|Republic|Territory|Territories)$/;
/** Names of several islands, of which the first has no article. */
const WITHOUT_ARTICLE = /^(?:Heard Island|South Georgia) and /;

export function inSentence(name: string): string {
  return WITH_ARTICLE.test(name) && !WITHOUT_ARTICLE.test(name) ? `the ${name}` : name;
}

/** The name with its article at the start of a sentence: "The Bahamas". */
export function atSentenceStart(name: string): string {
  return capitalize(inSentence(name));
}
