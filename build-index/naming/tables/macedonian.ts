/** Macedonian: the letters of passports and road signs, without marks: "Делчево" is Delchevo, "Ѓорче" is Gjorche. */
import type { LetterTable } from '../letter-table.js';

export const MACEDONIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', ѓ: 'gj', е: 'e', ж: 'zh', з: 'z', ѕ: 'dz', и: 'i', ј: 'j', к: 'k', л: 'l',
    љ: 'lj', м: 'm', н: 'n', њ: 'nj', о: 'o', п: 'p', р: 'r', с: 's', т: 't', ќ: 'kj', у: 'u', ф: 'f', х: 'h', ц: 'c',
    ч: 'ch', џ: 'dj', ш: 'sh',
  },
  rules: [],
};
