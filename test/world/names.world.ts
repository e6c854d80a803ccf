/**
 * Names in other languages in the release of 2026-03: a table of well-known places, written from knowledge of the places,
 * and the most populous cities, held against the table of alternate names itself.
 */

import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseCityRow } from '../../build-index/gazetteer/city-row.js';
import { lookUpTable, MAX_LINE_LENGTH, readLines } from '../../build-index/reading/table-lines.js';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { getCountry } from '../../src/core/answers/countries.js';
import { resolvePath } from '../../src/core/answers/places.js';
import { inLanguages } from '../../src/core/snapshot/in-languages.js';
import { distanceKm } from '../../src/core/snapshot/sphere.js';
import { openWithCities, parseAnswer, percent, printFigures } from './world.js';

const snapshot = openWithCities();

const nameOf = (country: string, path: string, tags: string): string =>
  parseAnswer<{ name: string }>(
    resolvePath(inLanguages(snapshot, tags), { country, segments: path.slice(1).split('/') }),
  ).name;

/** Country, path, and the name for each list of tags. */
const NAMES: readonly (readonly [country: string, path: string, names: string])[] = [
  [
    'DE',
    '/bayern/regierungsbezirk-oberbayern/kreisfreie-stadt-munchen/munchen',
    'de=München, en=Munich, fr=Munich, it=Monaco di Baviera, es=Múnich, pl=Monachium, ru=Мюнхен, el=Μόναχο, ar=ميونخ, he=מינכן, fa=مونیخ, zh=慕尼黑, ja=ミュンヘン, ko=뮌헨, th=มิวนิก, ka=მიუნხენი, hy=Մյունխեն, hi=म्यूनिख',
  ],
  [
    'DE',
    '/nordrhein-westfalen/regierungsbezirk-koln/koln-stadt/koln',
    'en=Cologne, it=Colonia, pl=Kolonia, ru=Кёльн, uk=Кельн, he=קלן, ja=ケルン',
  ],
  [
    'FR',
    '/grand-est/bas-rhin/strasbourg',
    'de=Straßburg, it=Strasburgo, es=Estrasburgo, pl=Strasburg, ru=Страсбург, el=Στρασβούργο, ja=ストラスブール, hi=स्ट्रासबर्ग',
  ],
  ['IT', '/lazio/roma/roma', 'de=Rom, en=Rome, pl=Rzym, ru=Рим, el=Ρώμη, he=רומא, ja=ローマ, ko=로마, hy=Հռոմ'],
  ['IT', '/lombardia/milano/milano', 'de=Mailand, en=Milan, pl=Mediolan, ru=Милан, uk=Мілан, ka=მილანი'],
  [
    'IT',
    '/veneto/venezia/venezia',
    'de=Venedig, en=Venice, fr=Venise, pl=Wenecja, ru=Венеция, zh=威尼斯, ja=ヴェネツィア',
  ],
  [
    'ES',
    '/andalucia/sevilla/seville/sevilla',
    'en=Seville, fr=Séville, it=Siviglia, ru=Севилья, el=Σεβίλλη, ar=إشبيلية',
  ],
  [
    'PT',
    '/lisboa/lisboa',
    'de=Lissabon, en=Lisbon, fr=Lisbonne, pl=Lizbona, ru=Лиссабон, el=Λισαβώνα, ar=لشبونة, zh=里斯本, ja=リスボン',
  ],
  [
    'GB',
    '/england/greater-london/london',
    'fr=Londres, it=Londra, pl=Londyn, ru=Лондон, el=Λονδίνο, ar=لندن, he=לונדון, ja=ロンドン, ko=런던, th=ลอนดอน',
  ],
  ['IE', '/leinster/dublin', 'it=Dublino, ru=Дублин, el=Δουβλίνο, ar=دبلن, ka=დუბლინი'],
  [
    'NL',
    '/zuid-holland/gemeente-den-haag/s-gravenhage-2513',
    'de=Den Haag, en=The Hague, fr=La Haye, es=La Haya, ru=Гаага, zh=海牙',
  ],
  ['BE', '/vlaanderen/anvers/antwerpen/antwerpen', 'en=Antwerp, fr=Anvers, es=Amberes, ru=Антверпен, th=แอนต์เวิร์ป'],
  ['SE', '/vastra-gotaland/goteborg', 'en=Gothenburg, es=Gotemburgo, ru=Гётеборг, ja=ヨーテボリ, ko=예테보리'],
  ['FI', '/uusimaa/helsinki/helsinki', 'ru=Хельсинки, uk=Гельсінкі, el=Ελσίνκι, hy=Հելսինկի, hi=हेलसिंकी'],
  ['NO', '/oslo-county/oslo', 'ru=Осло, el=Όσλο, ar=أوسلو, ja=オスロ'],
  [
    'PL',
    '/mazowieckie/warszawa/warsaw',
    'de=Warschau, fr=Varsovie, it=Varsavia, pl=Warszawa, ru=Варшава, he=ורשה, zh=华沙',
  ],
  ['RO', '/bucuresti/bucuresti/bucuresti', 'de=Bukarest, en=Bucharest, fr=Bucarest, ru=Бухарест, ko=부쿠레슈티'],
  ['BG', '/sofija-stolica/stolichna/sofija', 'en=Sofia, ru=София, el=Σόφια, hi=सोफिया'],
  ['HR', '/grad-zagreb/zagreb', 'it=Zagabria, pl=Zagrzeb, ru=Загреб, ja=ザグレブ'],
  ['SI', '/ljubljana', 'it=Lubiana, pl=Lublana, ru=Любляна, he=ליובליאנה'],
  ['UA', '/lvivska/lviv', 'it=Leopoli, pl=Lwów, ru=Львов, uk=Львів, ka=ლვოვი'],
  ['BY', '/minsk/minsk/minsk', 'pl=Mińsk, ru=Минск, ar=مينسك, zh=明斯克'],
  ['LT', '/vilniaus-apskritis/vilniaus-m-sav/vilnius', 'es=Vilna, pl=Wilno, ru=Вильнюс, ja=ヴィリニュス'],
  ['EE', '/harju-maakond/tallinn', 'ru=Таллин, ar=تالين, hi=ताल्लिन'],
  ['TR', '/ankara/ankara', 'ru=Анкара, ar=أنقرة, th=อังการา, hy=Անկարա'],
  ['CN', '/jiangsu/nanjing-shi/nanjing', 'fr=Nankin, it=Nanchino, ru=Нанкин, zh=南京, ko=난징'],
  ['PK', '/sindh/karachi', 'de=Karatschi, fa=کراچی, ru=Карачи'],
  ['BD', '/dhaka-division/dhaka', 'fr=Dacca, ru=Дакка, th=ธากา'],
  ['LK', '/western-province/colombo/colombo', 'pl=Kolombo, ru=Коломбо, zh=可倫坡'],
  ['PH', '/metro-manila/southern-manila-district/manila', 'fr=Manille, ru=Манила, zh=馬尼拉'],
  ['ID', '/dki-jakarta/jakarta', 'it=Giacarta, pl=Dżakarta, ru=Джакарта, zh=雅加达'],
  ['AU', '/new-south-wales/sydney', 'es=Sídney, ru=Сидней, zh=悉尼, ja=シドニー'],
  ['NZ', '/auckland/auckland', 'ru=Окленд, ja=オークランド'],
  ['US', '/new-york/new-york', 'es=Nueva York, pl=Nowy Jork, ru=Нью-Йорк, zh=紐約市'],
  ['US', '/pennsylvania/philadelphia', 'it=Filadelfia, ru=Филадельфия, el=Φιλαδέλφεια'],
  ['BR', '/sao-paulo/sao-paulo', 'it=San Paolo, ru=Сан-Паулу, ja=サンパウロ'],
  ['AR', '/buenos-aires/buenos-aires', 'ru=Буэнос-Айрес, ja=ブエノスアイレス'],
  ['CL', '/region-metropolitana/provincia-de-santiago/santiago', 'ru=Сантьяго, ja=サンティアゴ'],
  ['PE', '/lima/lima', 'ru=Лима, ar=ليما'],
  ['ZA', '/cape-town', 'de=Kapstadt, fr=Le Cap, it=Città del Capo, ru=Кейптаун'],
  ['KE', '/nairobi/nairobi', 'ru=Найроби, el=Ναϊρόμπι'],
  [
    'DE',
    '/bayern',
    'de=Bayern, en=Bavaria, fr=Bavière, it=Baviera, pl=Bawaria, ru=Бавария, el=Βαυαρία, he=בוואריה, fa=بایرن',
  ],
  ['IT', '/toscana', 'de=Toskana, en=Tuscany, fr=Toscane, ru=Тоскана, el=Τοσκάνη'],
  ['IT', '/sicilia', 'de=Sizilien, en=Sicily, ru=Сицилия, zh=西西里岛'],
  ['ES', '/andalucia', 'de=Andalusien, en=Andalusia, fr=Andalousie, ru=Андалусия, el=Ανδαλουσία, ar=أندلوسيا'],
  ['FR', '/bretagne', 'it=Bretagna, es=Bretaña, ru=Бретань, ja=ブルターニュ'],
  ['US', '/california', 'de=Kalifornien, fr=Californie, ru=Калифорния, el=Καλιφόρνια, zh=加利福尼亚州, th=รัฐแคลิฟอร์เนีย'],
  ['GB', '/scotland', 'de=Schottland, it=Scozia, ru=Шотландия'],
  ['BE', '/vlaanderen', 'de=Flandern, es=Flandes'],
  ['CZ', '/jihocesky-kraj', 'de=Südböhmische Region, fr=Bohême-du-Sud, ru=Южночешский край, zh=南波希米亚州'],
  // Fallback, right and wrong.
  [
    'DE',
    '/bayern/regierungsbezirk-oberbayern/kreisfreie-stadt-munchen/munchen',
    'pt-BR=Munique, zh-TW=慕尼黑, zh-Hant-HK=慕尼黑, en-GB=Munich, iw=מינכן, xx=München, qaa-x-a=München, nb=München, de;en=München, xx;en=Munich, sr=Минхен, sr-Latn=Минхен',
  ],
  ['DE', '/bayern/regierungsbezirk-oberbayern/kreisfreie-stadt-munchen', 'ru=Kreisfreie Stadt München'],
  ['PT', '/lisboa/lisboa', 'zh-CN=里斯本, zh-Hans=里斯本, zh-TW=Lisboa, zh-TW;zh;en=里斯本, zh-TW;en=Lisbon'],
  ['AT', '/wien', 'en=Vienna, hu=Bécs, pt=Viena, ru=Вена'],
  ['CZ', '/hlavni-mesto-praha', 'de=Prag, ru=Прага'],
  ['US', '/new-york', 'zh=纽约州, de=New York'],
];

describe('well-known places', () => {
  test.each(NAMES)('%s %s', (country, path, names) => {
    const expected = names.split(', ').map((one) => one.split('='));
    const found = expected.map(([tags = '']) => [tags, nameOf(country, path, tags.replaceAll(';', ','))]);
    expect(found).toEqual(expected);
  });

  test('200 names of 30 countries in ten scripts', () => {
    const all = NAMES.map(([, , names]) => names).join();
    const scripts = 'Latn Cyrl Grek Arab Hebr Hani Kana Hang Thai Geor Armn Deva'.split(' ');
    expect(scripts.filter((script) => !new RegExp(`\\p{sc=${script}}`, 'u').test(all))).toEqual([]);
    expect(new Set(NAMES.map(([country]) => country)).size).toBeGreaterThanOrEqual(30);
    expect(all.split('=').length).toBeGreaterThan(200);
  });

  test.each([
    [
      'DE',
      'de=Deutschland, fr=Allemagne, ru=Германия, zh=德国, zh-TW=德國, ja=ドイツ, ar=ألمانيا, el=Γερμανία, en=Germany',
    ],
    ['GR', 'el=Ελλάδα, de=Griechenland, pt-BR=Grécia'],
    ['TH', 'th=ไทย, ko=태국, xx=Thailand'],
  ])('country %s', (country, names) => {
    const expected = names.split(', ').map((one) => one.split('='));
    const found = expected.map(([tags = '']) => [
      tags,
      parseAnswer<{ name: string }>(getCountry(inLanguages(snapshot, tags), { country })).name,
    ]);
    expect(found).toEqual(expected);
  });
});

/** Number of the most populous cities that are looked at. */
const CITIES = 1_200;
/** Minimum share of the names of these in the table that answers show. Rows of India name post offices: Nashik City. */
const LEAST_SHARE = 0.985;
/** The languages that are looked at, with the letters in which a name of each is plausible. */
const LANGUAGES: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['de', 'fr', 'es', 'pt'].map((tag) => [tag, /^[\p{sc=Latn}\P{L}]*$/u])),
  ru: /^[\p{sc=Cyrl}\P{L}]*$/u,
  ar: /^[\p{sc=Arab}\P{L}]*$/u,
  zh: /^[\p{sc=Hani}\P{L}]*$/u,
  ja: /^[\p{sc=Hani}\p{scx=Kana}\p{sc=Hira}\P{L}]*$/u,
};

test('the most populous cities are shown with the names of the table', async () => {
  const folder = join(process.env.WORLD_RELEASES as string, 'gazetteer');
  const rows = async (name: string, take: (line: string) => void): Promise<void> =>
    readLines(
      (await lookUpTable(join(folder, `${name}.zip`))).file,
      (bytes) => take(bytes.toString()),
      MAX_LINE_LENGTH,
    );
  const all: Exclude<ReturnType<typeof parseCityRow>, string>[] = [];
  await rows('cities15000', (line) => {
    const city = parseCityRow(line);
    if (typeof city === 'object' && snapshot.countryByCode.get(city.countryCode)?.structures) all.push(city);
  });
  const cities = all.filter(({ featureCode }) => featureCode !== 'PPLX').sort((a, b) => b.population - a.population);
  const names = new Map<string, string>();
  await rows('alternateNamesV2', (line) => {
    const [, id, language = '', name = ''] = line.split('\t');
    if (LANGUAGES[language]?.test(name)) names.set(`${id} ${language}`, name);
  });
  const counts = Object.keys(LANGUAGES).map((language) => ({ language, known: 0, shown: 0 }));
  for (const { geonameId, name, countryCode, latitude, longitude } of cities.slice(0, CITIES)) {
    for (const count of counts) {
      const expected = names.get(`${geonameId} ${count.language}`);
      if (expected === undefined) continue;
      count.known++;
      const query = { query: name, country: countryCode, limit: 5, include: ['place'] } as const;
      const found = parseAnswer<{ name: string; latitude: number; longitude: number }[]>(
        autocomplete(inLanguages(snapshot, count.language), query),
      ).find((place) => distanceKm(place, { latitude, longitude }) < 25);
      if (found?.name === expected.normalize('NFC')) count.shown++;
    }
  }
  const sum = (key: 'known' | 'shown'): number => counts.reduce((total, count) => total + count[key], 0);
  const list = counts.map(({ language, known, shown }) => `${language} ${shown} of ${known}`).join(', ');
  printFigures(`of ${CITIES} cities: ${list}; shown ${percent(sum('shown'), sum('known'))}`);
  expect(sum('shown') / sum('known')).toBeGreaterThan(LEAST_SHARE);
});

test('names take at most 4 % of the file', () => {
  const bytes = snapshot.manifest.sections
    .filter(({ name }) => name === 'names-by-language' || name === 'country-names-by-language')
    .reduce((total, { length }) => total + length, 0);
  printFigures(`names in other languages take ${percent(bytes, snapshot.byteLength)} of the file`);
  expect(bytes).toBeGreaterThan(1e6);
  expect(bytes).toBeLessThan(0.04 * snapshot.byteLength);
});
