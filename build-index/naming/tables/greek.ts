/**
 * Greek: ELOT 743 (1982, ISO 843), which road signs, maps and passports have, without the accents: "Πειραιάς" is
 * Peiraias, "Αγία" Agia, "Λευκωσία" Lefkosia.
 */
import type { LetterTable } from '../letter-table.js';

export const GREEK: LetterTable = {
  // biome-ignore format: an alphabet is read at one look.
  letters: {
    α: 'a', ά: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', έ: 'e', ζ: 'z', η: 'i', ή: 'i', θ: 'th', ι: 'i', ί: 'i', ϊ: 'i',
    ΐ: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x', ο: 'o', ό: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y',
    ύ: 'y', ϋ: 'y', ΰ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o', ώ: 'o',
  },
  rules: [
    [/γγ/uy, 'ng'],
    [/γξ/uy, 'nx'],
    [/γχ/uy, 'nch'],
    // At the start and at the end of a word one sound, otherwise two.
    [/^μπ|μπ$/uy, 'b'],
    [/ο[υύ]/uy, 'ou'],
    // Before vowels and voiced consonants "v", otherwise "f".
    [/α[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'av'],
    [/α[υύ]/uy, 'af'],
    [/ε[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'ev'],
    [/ε[υύ]/uy, 'ef'],
    [/η[υύ](?=[αάεέηήιίϊΐοόυύϋωώβγδζλμνρ])/uy, 'iv'],
    [/η[υύ]/uy, 'if'],
  ],
};
