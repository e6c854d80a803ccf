/** The name of a country in a sentence, with its article: "the United States", "Liechtenstein". */

const WITH_ARTICLE =
  /^(?:United|Bahamas$|Comoros$|Gambia$|Maldives$|Philippines$|Seychelles$|(?:Democratic )?Republic of)|(?:Islands|Republic|Territory|Territories)$/;
/** Several islands of which the first is called without it. */
const WITHOUT_ARTICLE = /^(?:Heard Island|South Georgia) and /;

export function inSentence(name: string): string {
  return WITH_ARTICLE.test(name) && !WITHOUT_ARTICLE.test(name) ? `the ${name}` : name;
}

/** The same at the start of a sentence: "The Bahamas". */
export function atSentenceStart(name: string): string {
  const text = inSentence(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
