/**
 * Belarusian: the national system of 2000 with its change of 2007, which road signs and maps in Belarus have and the
 * United Nations recommend: "Магілёў" is Mahilioŭ, "Гродзенскі" ends in "dzienski", "Ельск" is Jeĺsk.
 */
import type { LetterTable } from '../letter-table.js';

export const BELARUSIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'h', д: 'd', е: 'ie', ё: 'io', ж: 'ž', з: 'z', і: 'i', й: 'j', к: 'k', л: 'l',
    м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ў: 'ŭ', ф: 'f', х: 'ch', ц: 'c', ч: 'č', ш: 'š',
    ы: 'y', э: 'e', ю: 'iu', я: 'ia',
    // An acute on the letter before it.
    ь: '\u0301',
  },
  rules: [
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])е/uy, 'je'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])ё/uy, 'jo'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])ю/uy, 'ju'],
    [/(?<=^|[аеёіоуыэюяўйь'’ʼ])я/uy, 'ja'],
    [/['’ʼ]/uy, ''],
  ],
};
