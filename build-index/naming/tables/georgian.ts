/**
 * Georgian: the national system of 2002, without its apostrophes, which road signs and maps leave out: "ქუთაისი" is
 * Kutaisi, "მცხეთა" Mtskheta. The script has no capitals, so the romaniser gives each word one.
 */
import type { LetterTable } from '../letter-table.js';

export const GEORGIAN: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    ა: 'a', ბ: 'b', გ: 'g', დ: 'd', ე: 'e', ვ: 'v', ზ: 'z', თ: 't', ი: 'i', კ: 'k', ლ: 'l', მ: 'm', ნ: 'n', ო: 'o',
    პ: 'p', ჟ: 'zh', რ: 'r', ს: 's', ტ: 't', უ: 'u', ფ: 'p', ქ: 'k', ღ: 'gh', ყ: 'q', შ: 'sh', ჩ: 'ch', ც: 'ts',
    ძ: 'dz', წ: 'ts', ჭ: 'ch', ხ: 'kh', ჯ: 'j', ჰ: 'h',
  },
  rules: [],
};
