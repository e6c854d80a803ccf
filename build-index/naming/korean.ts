/**
 * Romanises Korean with the Revised Romanisation (Ministry of Culture and Tourism, notice 2000-8), as on road signs,
 * maps and in South Korean addresses. A word is written as it is pronounced, except for tense sounds: "종로" is Jongno,
 * "신림" Sillim, "독립문" Dongnimmun. The kind of unit follows a hyphen, across which sounds do not change: "종로구" is
 * Jongno-gu, "삼죽면" Samjuk-myeon. Kinds that the post's English addresses (juso.go.kr) omit or shorten are the same
 * here: "서울특별시" is Seoul, "제주특별자치도" Jeju-do.
 *
 * No package does this: es-hangul 2.4 inserts an n that names do not have ("밀양" as "millyang", "안양" as "annyang") and
 * joins sounds that the rules for names keep separate ("묵호" as "muko").
 */

import { capitalise } from './letter-tables.js';

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const VOWEL_COUNT = 21;
const FINAL_COUNT = 28;

/** In the order of Unicode's syllables; ㅇ at the start of a syllable is silent. */
const INITIALS = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ').map((text) => (text === '-' ? '' : text));
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ');
/** The sound of each final before a consonant and at the end of a word: none for the first, then one of seven. */
const CLOSING = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ');
/** The sound of each final before a vowel, where its last consonant moves to the next syllable. */
const LINKING = '- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -'.split(' ');
const SILENT = INITIALS.indexOf('');
/** These finals have ㅎ, which makes the next consonant aspirated; ㄶ and ㅀ leave n and l. */
const FINALS_WITH_H: ReadonlyMap<number, string> = new Map([
  [6, 'n'],
  [15, 'l'],
  [27, ''],
]);
const ASPIRATED: Readonly<Record<string, string>> = { g: 'k', d: 't', j: 'ch' };

/** The result of a closing sound and the next initial, for pairs that change each other. */
const MEETINGS: Readonly<Record<string, readonly [string, string]>> = {
  'k n': ['ng', 'n'],
  'k m': ['ng', 'm'],
  'k r': ['ng', 'n'],
  't n': ['n', 'n'],
  't m': ['n', 'm'],
  't r': ['n', 'n'],
  'p n': ['m', 'n'],
  'p m': ['m', 'm'],
  'p r': ['m', 'n'],
  'm r': ['m', 'n'],
  'ng r': ['ng', 'n'],
  'n r': ['l', 'l'],
  'l n': ['l', 'l'],
  'l r': ['l', 'l'],
};

/** The kinds of cities and provinces, as the post writes them; the longer first. */
const KINDS_OF_THE_POST: readonly (readonly [string, string])[] = [
  ['특별자치시', '-si'],
  ['특별자치도', '-do'],
  ['특별시', ''],
  ['광역시', ''],
];
/**
 * Words of two syllables such as 대구, 진도, 종로 are names without a kind; 동 to 북 are the points of the compass and 중 the
 * middle.
 */
const WITH_KIND = /^(?:(.{2,})([시도군구로길])|(.+)([읍면동리])|([중동서남북])(구))$/u;
/** "역삼1동", "종로1가", "종로1·2·3가". */
const NUMBERED = /^(\p{Script=Hangul}+)(\d+(?:[.,·]\d+)*)(\p{Script=Hangul}{0,2})$/u;

/** `word`, of syllables with or without a number, in Latin letters with a capital. */
export function romaniseKorean(word: string): string {
  const numbered = NUMBERED.exec(word);
  if (numbered !== null) {
    const [, name, number, kind] = numbered as unknown as [string, string, string, string];
    return `${capitalise(spell(name))} ${number}${kind === '' ? '' : `-${spell(kind)}`}`;
  }
  for (const [kind, written] of KINDS_OF_THE_POST) {
    if (word.endsWith(kind) && word.length > kind.length) {
      return `${capitalise(spell(word.slice(0, -kind.length)))}${written}`;
    }
  }
  const found = WITH_KIND.exec(word);
  if (found === null) return capitalise(spell(word));
  const [name, kind] = found.slice(1).filter((part) => part !== undefined) as [string, string];
  return `${capitalise(spell(name))}-${spell(kind)}`;
}

/** Syllables as they sound together; other characters stay. */
function spell(text: string): string {
  let latin = '';
  let closing = '';
  const syllables = Array.from(text, takeApart);
  syllables.forEach((syllable, index) => {
    if (typeof syllable === 'string') {
      latin += closing + syllable;
      closing = '';
      return;
    }
    const { vowel, final } = syllable;
    const initial = INITIALS[syllable.initial] as string;
    const before = syllables[index - 1];
    const joined = typeof before === 'object' ? meet(before.final, syllable.initial, vowel) : ['', initial];
    latin += joined.join('') + VOWELS[vowel];
    const behind = syllables[index + 1];
    closing = typeof behind === 'object' || final === 0 ? '' : (CLOSING[final] as string);
  });
  return latin + closing;
}

/** The romanisation of the end of a syllable and the start of the next. */
function meet(final: number, initialNumber: number, vowel: number): readonly [string, string] {
  const initial = INITIALS[initialNumber] as string;
  if (final === 0) return ['', initial];
  const withH = FINALS_WITH_H.get(final);
  if (initialNumber === SILENT) {
    // ㄷ and ㅌ before i are softened: "해돋이" haedoji, "같이" gachi.
    if (VOWELS[vowel] === 'i' && LINKING[final] === 'd') return ['', 'j'];
    if (VOWELS[vowel] === 'i' && LINKING[final] === 't') return ['', 'ch'];
    return [LINKING[final] === '-' ? '' : (LINKING[final] as string), ''];
  }
  if (withH !== undefined && ASPIRATED[initial] !== undefined) return [withH, ASPIRATED[initial]];
  const closing = CLOSING[final] as string;
  return MEETINGS[`${closing} ${initial}`] ?? [closing, initial];
}

interface Syllable {
  readonly initial: number;
  readonly vowel: number;
  readonly final: number;
}

/** A syllable's letters; a character that is no syllable stays as it is. */
function takeApart(character: string): Syllable | string {
  const code = character.charCodeAt(0);
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return character;
  const number = code - FIRST_SYLLABLE;
  return {
    initial: Math.floor(number / (VOWEL_COUNT * FINAL_COUNT)),
    vowel: Math.floor(number / FINAL_COUNT) % VOWEL_COUNT,
    final: number % FINAL_COUNT,
  };
}
