/**
 * Russian: the system of BGN and PCGN (1947), which atlases and gazetteers use, as it is written without its marks: ь
 * and ъ are left out, and ё is "yo", as in most English text from Russia ("Oryol", "Korolyov").
 */
import type { LetterTable } from '../letter-table.js';

export const RUSSIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'yo', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm',
    н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch',
    ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  },
  // At the start of a word, and after vowels, й and the signs.
  rules: [[/(?<=^|[аеёиоуыэюяйъь])е/uy, 'ye']],
};
