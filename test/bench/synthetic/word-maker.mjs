/**
 * New words that look like those of one country: a Markov chain over the letters of its words. Each letter is drawn from
 * those that follow the same three letters in the country's words, so starts, ends and frequent parts of words are as
 * frequent as there; where three letters leave too little choice, from those that follow the same two, or one.
 */

const LONGEST_CONTEXT = 3;
const TRIES = 8;
/** Stand before the first letter and behind the last one. */
const START = ' ';
const END = '';

export class WordMaker {
  #taken;
  #random;
  /** By the length of the context less one, the letters that follow each context. */
  #followers = Array.from({ length: LONGEST_CONTEXT }, () => new Map());
  #letters = [];

  /** `words`: distinct and in lower case. */
  constructor(words, random) {
    this.#taken = new Set(words);
    this.#random = random;
    for (const word of this.#taken) this.#learn([...word]);
  }

  /** A word of about as many letters as `like`, in lower case, that neither the country has nor was made before. */
  make(like) {
    const length = [...like].length;
    for (let contextLength = LONGEST_CONTEXT; contextLength > 0; contextLength--) {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const word = this.#draw(length, contextLength);
        if (word !== undefined && this.#take(word)) return word;
      }
    }
    let word = this.#draw(length, 1) ?? like;
    while (!this.#take(word)) word += this.#pick(this.#letters);
    return word;
  }

  #learn(letters) {
    this.#letters.push(...letters);
    const padded = [...Array(LONGEST_CONTEXT).fill(START), ...letters, END];
    for (let at = LONGEST_CONTEXT; at < padded.length; at++) {
      this.#followers.forEach((followers, index) => {
        const context = padded.slice(at - index - 1, at).join('');
        const list = followers.get(context);
        if (list === undefined) followers.set(context, [padded[at]]);
        else list.push(padded[at]);
      });
    }
  }

  /** Undefined where the chain led to a word of quite another length. */
  #draw(length, contextLength) {
    const tolerance = length > 6 ? 2 : length > 3 ? 1 : 0;
    const followers = this.#followers[contextLength - 1];
    const letters = Array(contextLength).fill(START);
    for (let count = 0; ; count++) {
      const list = followers.get(letters.slice(-contextLength).join(''));
      let next = this.#pick(list);
      if (next === END && count >= length - tolerance) return letters.slice(contextLength).join('');
      for (let again = 0; next === END && again < TRIES; again++) next = this.#pick(list);
      if (next === END || count === length + tolerance) return undefined;
      letters.push(next);
    }
  }

  #take(word) {
    if (this.#taken.has(word)) return false;
    this.#taken.add(word);
    return true;
  }

  #pick(list) {
    return list[Math.floor(this.#random() * list.length)];
  }
}
