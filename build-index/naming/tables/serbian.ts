/**
 * Serbian: its other alphabet, letter for letter, in which everybody there reads and writes: "Ђаковица" is Đakovica.
 */
import type { LetterTable } from '../letter-table.js';

export const SERBIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', ђ: 'đ', е: 'e', ж: 'ž', з: 'z', и: 'i', ј: 'j', к: 'k', л: 'l', љ: 'lj',
    м: 'm', н: 'n', њ: 'nj', о: 'o', п: 'p', р: 'r', с: 's', т: 't', ћ: 'ć', у: 'u', ф: 'f', х: 'h', ц: 'c', ч: 'č',
    џ: 'dž', ш: 'š',
  },
  rules: [],
};
