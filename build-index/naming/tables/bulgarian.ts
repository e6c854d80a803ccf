/**
 * Bulgarian: the Transliteration Act of 2009, which road signs and passports have. "-ия" ends in "-ia": "София" is
 * Sofia.
 */
import type { LetterTable } from '../letter-table.js';

export const BULGARIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm', н: 'n',
    о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sht', ъ: 'a',
    ь: 'y', ю: 'yu', я: 'ya',
  },
  rules: [[/ия$/uy, 'ia']],
};
