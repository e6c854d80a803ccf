/**
 * Ukrainian: the national system, resolution 55 of the Cabinet of Ministers of 27 January 2010. The soft sign and the
 * apostrophe are left out, and some letters are written otherwise at the start of a word: "Яготин" is Yahotyn,
 * "Фастів'я" ends in "ia".
 */
import type { LetterTable } from '../letter-table.js';

export const UKRAINIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i', ї: 'i', й: 'i',
    к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch',
    ш: 'sh', щ: 'shch', ь: '', ю: 'iu', я: 'ia',
  },
  rules: [
    // Otherwise "зг" would read like ж, which is "zh".
    [/зг/uy, 'zgh'],
    [/^є/uy, 'ye'],
    [/^ї/uy, 'yi'],
    [/^й/uy, 'y'],
    [/^ю/uy, 'yu'],
    [/^я/uy, 'ya'],
    [/['’ʼ]/uy, ''],
  ],
};
