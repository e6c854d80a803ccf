/** Cyrillic names as texts in German, French, Spanish and Portuguese write them, and those of a city. */

import { expect, test } from '@jest/globals';
import { transcribe } from '../../../build-index/naming/cyrillic-transcription.js';
import { createTranscriber } from '../../../build-index/suggesting/city-transcriptions.js';
import { cityOf, UNMARKED } from '../../fixtures/gazetteer.js';
import { nameCases } from '../../fixtures/name-cases.js';

test.each(
  nameCases(`
    RU: Свободный → Swobodny Svobodny Svobodny Svobodny | Вязьма → Wjasma Viazma Viazma Viazma
    Екатеринбург → Jekaterinburg Iekaterinbourg Yekaterinburg Iekaterinburg
    Хабаровск → Chabarowsk Khabarovsk Jabarovsk Khabarovsk | Жуковский → Schukowski Joukovski Zhukovski Jukovski
    Королёв → Koroljow Koroliov Koroliov Koroliov | Щёлково → Schtscholkowo Chtcholkovo Shcholkovo Chtcholkovo
    Гусь-Хрустальный → Gus-Chrustalny Gous-Khroustalny Gus-Jrustalny Gus-Khrustalny
    Вятские Поляны → Wjatskije Poljany Viatskie Poliany Viatskiye Poliany Viatskie Poliany
    Александров → Alexandrow Aleksandrov Aleksandrov Aleksandrov
    Чебоксары → Tscheboksary Tcheboksary Cheboksary Tcheboksary | Пушкин → Puschkin Pouchkine Pushkin Puchkin
    Геленджик → Gelendschik Guelendjik Guelendzhik Guelendjik
    UA: Київ → Kyjiw Kyiv Kyiv Kyiv | Кривий Ріг → Krywyj Rih Kryvyi Rih Kryvyi Rih Kryvyi Rih
    Знам'янка → Snamjanka Znamianka Znamyanka Znamianka | Донецк → Donezk Donetsk Donetsk Donetsk
    BG: Велико Търново → Weliko Tarnowo Veliko Tarnovo Veliko Tarnovo Veliko Tarnovo
    Шумен → Schumen Choumen Shumen Chumen | София → Sofia Sofia Sofia Sofia
    BY: Витебск → Witebsk Vitebsk Vitebsk Vitebsk | Магілёў → Mahiljou Mahilioou Mahiliou Mahiliou
  `),
)('%s %s', (country, name, expected) => {
  expect(transcribe(country, name).join(' ')).toBe(expected);
});

test.each([
  ['a Latin name', 'RU', 'Kazan'],
  ['a word in two scripts', 'RU', 'Самара Ems'],
  ['a letter of another language', 'RU', 'Қарағанды'],
  ['Serbian, with its own Latin letters', 'RU', 'Љубовија'],
])('not %s', (_, country, name) => {
  expect(transcribe(country, name)).toEqual([]);
});

test('of a city, its names in the country’s language only', () => {
  const city = cityOf('RU', "Vyaz'ma", 55.2, 34.3, { otherNames: ['Вязьма', 'Вјазма', 'Вазьма', 'Wiaźma'] });
  expect(createTranscriber('RU')(city, [])).toEqual(['Wjasma', 'Viazma']);
  expect(createTranscriber('RU')({ ...city, otherNames: [] }, ['Вязьма-Брянская'])).toEqual([
    'Wjasma-Brjanskaja',
    'Viazma-Brianskaia',
    'Viazma-Brianskaya',
  ]);
  const marked = { name: 'Вязьма', ...UNMARKED };
  const isTaken = (language: string): boolean =>
    createTranscriber('RU')({ ...city, otherNames: [], alternateNames: [{ ...marked, language }] }, []).length > 0;
  expect([isTaken('ru'), isTaken('uk')]).toEqual([true, false]);
  expect(createTranscriber('DE')(city, ['Мюнхен'])).toEqual([]);
  expect(createTranscriber('RS')(city, ['Ниш'])).toEqual([]);
});
