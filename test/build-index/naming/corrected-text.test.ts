/** Texts that a release has wrong, each rule both ways: a name without an arrow stays as it is. */

import { describe, expect, test } from '@jest/globals';
import { createTextCorrector } from '../../../build-index/naming/corrected-text.js';
import { decodeMojibake } from '../../../build-index/naming/mojibake.js';
import { nameCases } from '../../fixtures/name-cases.js';

const correct = (country: string, text: string): string => createTextCorrector(country)(text).text;

test.each(
  nameCases(`
    // Small letters inside a name.
    ES: Jerez De La Frontera → Jerez de la Frontera | Casas De Huertas El Rincon → Casas de Huertas El Rincon
    Castillo Del Romeral → Castillo del Romeral | Huelmos Y Casasolilla → Huelmos y Casasolilla
    San Lorenzo De El Escorial → San Lorenzo de El Escorial
    San Sebastian De La Gomera → San Sebastian de La Gomera
    Santa Margarida I Els Monjos → Santa Margarida i els Monjos | Castellet I La Gornal → Castellet i la Gornal
    Sant Sadurni D'Anoia → Sant Sadurni d'Anoia | Vilanova De L'Aguda → Vilanova de l'Aguda
    El Moli D'En Rovira → El Moli d'en Rovira | Pobra Do Caramiñal, A → Pobra do Caramiñal, A
    IT: Reggio Di Calabria → Reggio di Calabria | Sant'Agata De' Goti → Sant'Agata de' Goti
    San Massimo All'Adige → San Massimo all'Adige | San Giorgio In Salici → San Giorgio in Salici
    PT: Idanha-A-Nova → Idanha-a-Nova | São João Da Boa Vista → São João da Boa Vista
    BR: Parque Do Carmo → Parque do Carmo
    // The first word, also behind a bracket, and the last one.
    ES: De La Vega | Granja (De la Vega) | Playa, De
    // An article that belongs to the name behind it.
    Lugar El Torres | Urbanizacion L'Eliana | Estany, L' | Santa Maria A Real
    // A number and a letter.
    Encinar I y II
    PT: Casal A-de-Galinhas
    // A surname.
    IT: Morra De Sanctis | L'Aquila | Sant'Angelo | VILLA DI SERIO
    PT: De Ferreiros
    // Other countries.
    US: Coeur D'Alene | Coeur D Alene
    FR: Cannes La Bocca | L'Île-d'Yeu
    NL: De Bilt | 's-Gravenhage
    CO: Santa Barbara De Pinto
    // Letters read in another code page, and names that have them rightly.
    CA: Saint-Franþois → Saint-François
    PA: Puerto Piða → Puerto Piña
    PE: Granja N§ 180 → Granja Nº 180 | Chilac Nø8 → Chilac Nº8
    SE: Âlvsjö → Älvsjö | Ângelholm → Ängelholm | Âlandsbro → Ålandsbro
    DZ: 2čme Partie → 2ème Partie | Ingueloů → Ingueloù
    CZ: Ďáblice | Číčov
    DZ: Sidi M Barek → Sidi M'Barek | Hassi D Roub → Hassi D'Roub | Z H U N | Bellouta C Rabah
    ES: Llana¿L Pandu → Llana’L Pandu
    ID: Jum#&039;At → Jum'At
    IS: Þingeyri | Garðabæ
    // An s behind an apostrophe.
    SG: Queen'S Road → Queen's Road
    KE: Moi’S Bridge → Moi’s Bridge
    GB: King'S → King's
    US: O'Sullivan
    DZ: M'Sila
    BE: 'S Gravenwezel
    AR: COLONIA LIEBIG'S
    US: Hunter's
    // An apostrophe for an accent.
    IT: Citta' Di Castello → Città di Castello | Forli' Del Sannio → Forlì del Sannio
    San Nicolo' A Tordino → San Nicolò a Tordino | Cefalu' → Cefalù | Cuorgne' → Cuorgnè
    Pre' Saint Didier → Pré Saint Didier | CITTA' SANT'ANGELO → CITTÀ SANT'ANGELO
    Ca' Savio | Vo' Vecchio | Torre de' Passeri | Sant'Angelo | Villa 'Aurora'
    SM: Citta'
    ID: Ba'a
    UA: Prip'
  `),
)('%s %s: %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

describe('mojibake', () => {
  test.each([
    ['HÃ¼ls AG Werk LÃ¼lsdorf', 'Hüls AG Werk Lülsdorf'],
    ['JustizbehÃ¶rden', 'Justizbehörden'],
    ['GroÃŸ Gerau', 'Groß Gerau'],
    ['Lâ€™Isle', 'L’Isle'],
    ['ÐœÐ¾Ñ\u0081ÐºÐ²Ð°', 'Москва'],
  ])('%s', (text, decoded) => {
    expect(decodeMojibake(text)).toBe(decoded);
    expect(correct('DE', text)).toBe(decoded);
  });

  test.each([
    'Hüls',
    'Úšovice',
    'Úžice',
    'Ãguas',
    'HÃ¼ls bei Köln',
    'São João',
    'Москва',
    'Ã',
    '\u00c3\u0028',
    // Valid, but letters of two scripts.
    'Moscow Ð¾',
  ])('%s stays', (text) => expect(decodeMojibake(text)).toBe(text));
});

test('a corrected text stays, and the kinds of the corrections are told', () => {
  const corrector = createTextCorrector('IT');
  const { text, kinds } = corrector("Citta' Della Pieve");
  expect(kinds).toEqual(['name: accent for an apostrophe', 'name: small letters inside']);
  expect(corrector(text)).toEqual({ text, kinds: [] });
});
