/** Texts that a release has wrong, each rule both ways: what it corrects, and what looks like it and stays. */

import { describe, expect, test } from '@jest/globals';
import { createTextCorrector, decodeMojibake } from '../../build-index/naming/corrected-text.js';

const correct = (country: string, text: string): string => createTextCorrector(country)(text).text;

describe('small letters inside a name', () => {
  test.each([
    ['ES', 'Jerez De La Frontera', 'Jerez de la Frontera'],
    ['ES', 'Casas De Huertas El Rincon', 'Casas de Huertas El Rincon'],
    ['ES', 'Castillo Del Romeral', 'Castillo del Romeral'],
    ['ES', 'Huelmos Y Casasolilla', 'Huelmos y Casasolilla'],
    ['ES', 'San Lorenzo De El Escorial', 'San Lorenzo de El Escorial'],
    ['ES', 'San Sebastian De La Gomera', 'San Sebastian de La Gomera'],
    ['ES', 'Santa Margarida I Els Monjos', 'Santa Margarida i els Monjos'],
    ['ES', 'Castellet I La Gornal', 'Castellet i la Gornal'],
    ['ES', "Sant Sadurni D'Anoia", "Sant Sadurni d'Anoia"],
    ['ES', "Vilanova De L'Aguda", "Vilanova de l'Aguda"],
    ['ES', "El Moli D'En Rovira", "El Moli d'en Rovira"],
    ['ES', 'Pobra Do Caramiñal, A', 'Pobra do Caramiñal, A'],
    ['IT', 'Reggio Di Calabria', 'Reggio di Calabria'],
    ['IT', "Sant'Agata De' Goti", "Sant'Agata de' Goti"],
    ['IT', "San Massimo All'Adige", "San Massimo all'Adige"],
    ['IT', 'San Giorgio In Salici', 'San Giorgio in Salici'],
    ['PT', 'Idanha-A-Nova', 'Idanha-a-Nova'],
    ['PT', 'São João Da Boa Vista', 'São João da Boa Vista'],
    ['BR', 'Parque Do Carmo', 'Parque do Carmo'],
  ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

  test.each([
    // The first word, also behind a bracket, and the last one.
    ['ES', 'De La Vega'],
    ['ES', 'Granja (De la Vega)'],
    ['ES', 'Playa, De'],
    // An article that belongs to the name behind it.
    ['ES', 'Lugar El Torres'],
    ['ES', "Urbanizacion L'Eliana"],
    ['ES', "Estany, L'"],
    ['ES', 'Santa Maria A Real'],
    // A number and a letter.
    ['ES', 'Encinar I y II'],
    ['PT', 'Casal A-de-Galinhas'],
    // A surname.
    ['IT', 'Morra De Sanctis'],
    ['IT', "L'Aquila"],
    ['IT', "Sant'Angelo"],
    ['IT', 'VILLA DI SERIO'],
    ['PT', 'De Ferreiros'],
    // Other countries.
    ['US', "Coeur D'Alene"],
    ['US', 'Coeur D Alene'],
    ['FR', 'Cannes La Bocca'],
    ['FR', "L'Île-d'Yeu"],
    ['NL', 'De Bilt'],
    ['NL', "'s-Gravenhage"],
    ['CO', 'Santa Barbara De Pinto'],
  ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
});

describe('an s behind an apostrophe', () => {
  test.each([
    ['SG', "Queen'S Road", "Queen's Road"],
    ['KE', 'Moi’S Bridge', 'Moi’s Bridge'],
    ['GB', "King'S", "King's"],
  ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

  test.each([
    ['US', "O'Sullivan"],
    ['DZ', "M'Sila"],
    ['BE', "'S Gravenwezel"],
    ['AR', "COLONIA LIEBIG'S"],
    ['US', "Hunter's"],
  ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
});

describe('an apostrophe for an accent', () => {
  test.each([
    ['IT', "Citta' Di Castello", 'Città di Castello'],
    ['IT', "Forli' Del Sannio", 'Forlì del Sannio'],
    ['IT', "San Nicolo' A Tordino", 'San Nicolò a Tordino'],
    ['IT', "Cefalu'", 'Cefalù'],
    ['IT', "Cuorgne'", 'Cuorgnè'],
    ['IT', "Pre' Saint Didier", 'Pré Saint Didier'],
    ['IT', "CITTA' SANT'ANGELO", "CITTÀ SANT'ANGELO"],
  ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

  test.each([
    ['IT', "Ca' Savio"],
    ['IT', "Vo' Vecchio"],
    ['IT', "Torre de' Passeri"],
    ['IT', "Sant'Angelo"],
    ['IT', "Villa 'Aurora'"],
    ['SM', "Citta'"],
    ['ID', "Ba'a"],
    ['UA', "Prip'"],
  ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
});

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
