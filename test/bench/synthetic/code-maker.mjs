/**
 * New codes of the form of a country's codes: a digit for a digit, a letter for a letter, all else as it is. A code that
 * was made is made never again; where the form has no more codes to give, the code gets a digit more.
 */

const TRIES = 8;
const FORMS = { 0: '0123456789', A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' };
/** CEDEX and the like. */
const WORD = /[A-Z]{3,}/g;

export class CodeMaker {
  #taken;
  #random;
  #keptShare;
  #newCodes = new Map();

  /**
   * `codes`: the distinct codes of the country, which are taken. Of a code's start `keptShare`, from 0 to 1, stays as it
   * is, since codes are given by area; where that is more than 0, words stay too.
   */
  constructor(codes, random, keptShare) {
    this.#taken = new Set(codes);
    this.#random = random;
    this.#keptShare = keptShare;
  }

  /** From now on all codes are other ones. */
  startCopy() {
    this.#newCodes.clear();
  }

  /** The same code gets the same one throughout a copy. */
  recode(code) {
    let made = this.#newCodes.get(code);
    if (made === undefined) {
      made = this.#make(code);
      this.#taken.add(made);
      this.#newCodes.set(code, made);
    }
    return made;
  }

  #make(code) {
    const isWord = this.#keptShare > 0 ? signsOfWords(code) : [];
    const kept = Math.floor(code.length * this.#keptShare);
    const draw = (start) =>
      Array.from(code, (sign, at) => (at < start || isWord[at] ? sign : this.#like(sign))).join('');
    for (const start of [kept, 0]) {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const made = draw(start);
        if (!this.#taken.has(made)) return made;
      }
    }
    let longer = draw(kept);
    while (this.#taken.has(longer)) longer += this.#pick(FORMS['0']);
    return longer;
  }

  #like(sign) {
    if (/\d/.test(sign)) return this.#pick(FORMS['0']);
    return /[A-Z]/.test(sign) ? this.#pick(FORMS.A) : sign;
  }

  #pick(signs) {
    return signs[Math.floor(this.#random() * signs.length)];
  }
}

/** By sign, whether it belongs to a word. */
function signsOfWords(code) {
  const isWord = Array(code.length).fill(false);
  for (const { index, 0: word } of code.matchAll(WORD)) isWord.fill(true, index, index + word.length);
  return isWord;
}
