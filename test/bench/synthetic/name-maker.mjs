/**
 * New names that repeat, start and divide into words like the names of one country. Words of many names (Saint, Powiat,
 * Street) stay, since new places are called by them too; every other word becomes a new one, the same wherever it stands
 * in one copy of the country. So each distinct name becomes a distinct name, and a place that is called like its unit still
 * is.
 */
import { WordMaker } from './word-maker.mjs';

/** Words of so many distinct names stay. */
const COMMON = 5;
const WORD = /[\p{L}\p{M}]+/gu;

export class NameMaker {
  /** In how many distinct names each word stands, in lower case. */
  #counts = new Map();
  #words;
  #newWords = new Map();
  #newNames = new Map();

  /** `names`: the distinct names of places and units of a country. */
  constructor(names, random) {
    for (const name of names) {
      for (const word of new Set(wordsOf(name))) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
    this.#words = new WordMaker(this.#counts.keys(), random);
  }

  /** From now on all names are other ones. */
  startCopy() {
    this.#newWords.clear();
    this.#newNames.clear();
  }

  /** A name without letters stays as it is. */
  rename(name) {
    let renamed = this.#newNames.get(name);
    if (renamed === undefined) {
      renamed = this.#makeName(name);
      this.#newNames.set(name, renamed);
    }
    return renamed;
  }

  #makeName(name) {
    const words = wordsOf(name);
    const leastCount = Math.min(...words.map((word) => this.#counts.get(word)));
    // Where all words are common the rarest of them changes.
    const most = Math.max(COMMON - 1, leastCount);
    return name.replace(WORD, (text) => {
      const word = text.toLowerCase();
      return this.#counts.get(word) > most ? text : inCaseOf(text, this.#newWord(word));
    });
  }

  #newWord(word) {
    let made = this.#newWords.get(word);
    if (made === undefined) {
      made = this.#words.make(word);
      this.#newWords.set(word, made);
    }
    return made;
  }
}

function wordsOf(name) {
  return name.toLowerCase().match(WORD) ?? [];
}

/** `word`, which is in lower case, as `text` is written: in capitals, with one capital or with none. */
function inCaseOf(text, word) {
  if (text === text.toLowerCase()) return word;
  if (text.length > 1 && text === text.toUpperCase()) return word.toUpperCase();
  const [first, ...rest] = word;
  return first.toUpperCase() + rest.join('');
}
