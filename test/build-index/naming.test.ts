/** What places are called: romanised names, by language, and names that were released in capitals. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanPlaces } from '../../build-index/cleaning/clean-places.js';
import { createTranscriber } from '../../build-index/gazetteer/city-names.js';
import { namePlaces, type PlaceName } from '../../build-index/naming/place-names.js';
import { transcribe } from '../../build-index/naming/transcribing.js';
import { PlaceCollector } from '../../build-index/tree/collecting.js';
import { buildCountryTree, type CountryTree } from '../../build-index/tree/country-tree.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { cityOf } from '../fixtures/gazetteer.js';

const [REGION, LOCALITY] = [0, 3];

/** The names of localities of one country, by released text. */
function nameAll(countryCode: string, texts: readonly string[], column = LOCALITY): Map<string, PlaceName> {
  const { distinct, numbers } = namePlaces({ texts, types: texts.map(() => column) }, countryCode);
  return new Map(texts.map((text, place) => [text, distinct[numbers[place] as number] as PlaceName]));
}

function nameOf(countryCode: string, text: string, others: readonly string[] = []): string | undefined {
  return nameAll(countryCode, [text, ...others]).get(text)?.name;
}

describe('romanised as people of the country do', () => {
  test.each([
    // BGN/PCGN 1947, without its marks
    ['RU', 'Майкоп', 'Maykop'],
    ['RU', 'Екатеринбург', 'Yekaterinburg'],
    ['RU', 'Сысоево', 'Sysoyevo'],
    ['RU', 'Отъяссы', 'Otyassy'],
    ['RU', 'Подъельск', 'Podyelsk'],
    ['RU', 'Щёлково', 'Shchyolkovo'],
    ['RU', 'Казань', 'Kazan'],
    ['RU', 'Йошкар-Ола', 'Yoshkar-Ola'],
    ['RU', 'Верхний Уфалей 2', 'Verkhniy Ufaley 2'],
    ['RU', 'Приморский Край', 'Primorskiy Kray'],
    ['RU', 'Эльбан', 'Elban'],
    ['RU', 'Ростов-На-Дону', 'Rostov-na-Donu'],
    ['RU', 'Совхоз Им. 50-Летия Октября', 'Sovkhoz im. 50-letiya Oktyabrya'],
    ['RU', 'Им. М.И. Калинина', 'Im. M.I. Kalinina'],
    ['RU', 'Самара Pi-Sv', 'Samara Pi-Sv'],
    ['RU', 'Санкт-Петербург Ems Сц', 'Sankt-Peterburg Ems Sts'],
    // Resolution 55 of 2010, with the examples of its table
    ['UA', 'Алушта', 'Alushta'],
    ['UA', 'Гадяч', 'Hadiach'],
    ['UA', 'Ґалаґан', 'Galagan'],
    ['UA', 'Єнакієве', 'Yenakiieve'],
    ['UA', 'Згурівка', 'Zghurivka'],
    ['UA', 'Згорани', 'Zghorany'],
    ['UA', 'Запоріжжя', 'Zaporizhzhia'],
    ['UA', 'Їжакевич', 'Yizhakevych'],
    ['UA', 'Кадиївка', 'Kadyivka'],
    ['UA', 'Йосипівка', 'Yosypivka'],
    ['UA', 'Стрий', 'Stryi'],
    ['UA', 'Київ', 'Kyiv'],
    ['UA', 'Біла Церква', 'Bila Tserkva'],
    ['UA', 'Щербухи', 'Shcherbukhy'],
    ['UA', 'Юрій', 'Yurii'],
    ['UA', 'Крюківка', 'Kriukivka'],
    ['UA', 'Яготин', 'Yahotyn'],
    ['UA', "Знам'янка", 'Znamianka'],
    ['UA', 'Знам’янка', 'Znamianka'],
    ['UA', 'Кам`янка', 'Kamianka'],
    ['UA', 'Івано-Ярізовка', 'Ivano-Yarizovka'],
    ['UA', 'Веселе (Григорівська)', 'Vesele (Hryhorivska)'],
    ['UA', 'Зелений Гай (Зеленый Гай)', 'Zelenyi Hai (Zelenyy Hai)'],
    // The Russian names of the release, and Belarusian ones by the instruction of 2007
    ['BY', 'Витебск', 'Vitebsk'],
    ['BY', 'Щучин', 'Shchuchin'],
    ['BY', 'Магілёў', 'Mahilioŭ'],
    ['BY', 'Віцебск', 'Viciebsk'],
    // The Transliteration Act of 2009
    ['BG', 'София', 'Sofia'],
    ['BG', 'Търговище', 'Targovishte'],
    ['BG', 'Хасково', 'Haskovo'],
    ['BG', 'Ямбол', 'Yambol'],
    ['BG', 'Враца', 'Vratsa'],
    ['BG', 'Златоград', 'Zlatograd'],
    ['MK', 'Делчево', 'Delchevo'],
    ['MK', 'Куманово', 'Kumanovo'],
    ['MK', 'Ѓорче Петров', 'Gjorche Petrov'],
    ['RS', 'Ниш', 'Niš'],
    ['RS', 'Љубовија', 'Ljubovija'],
    ['RS', 'Ђаковица', 'Đakovica'],
    // ELOT 743
    ['GR', 'Αθήνα', 'Athina'],
    ['GR', 'Πειραιάς', 'Peiraias'],
    ['GR', 'Θεσσαλονίκη', 'Thessaloniki'],
    ['GR', 'Ηράκλειο', 'Irakleio'],
    ['GR', 'Ναύπακτος', 'Nafpaktos'],
    ['GR', 'Εύβοια', 'Evvoia'],
    ['GR', 'Αμπελόκηποι', 'Ampelokipoi'],
    ['GR', 'Μπάλι', 'Bali'],
    ['GR', 'Άγιος Νικόλαος', 'Agios Nikolaos'],
    ['GR', 'Αγγελόκαστρο', 'Angelokastro'],
    ['CY', 'Λευκωσία', 'Lefkosia'],
    ['GE', 'თბილისი', 'Tbilisi'],
    ['GE', 'მცხეთა', 'Mtskheta'],
    ['GE', 'ქუთაისი', 'Kutaisi'],
    // No table: any-ascii
    ['CN', '东城区', 'Dongchengqu'],
    ['KZ', 'Қарағанды', 'Qaraghandy'],
    // The characters don't determine the reading.
    ['JP', '東京', '東京'],
  ])('%s %s is %s', (country, text, name) => {
    expect(nameAll(country, [text]).get(text)).toEqual({ name, localName: text, released: text, isRomanised: true });
  });

  test.each([
    // The ministry's own examples of the Revised Romanisation
    ['구미', 'Gumi'],
    ['영동', 'Yeong-dong'],
    ['백암', 'Baegam'],
    ['옥천', 'Okcheon'],
    ['합덕', 'Hapdeok'],
    ['호법', 'Hobeop'],
    ['월곶', 'Wolgot'],
    ['벚꽃', 'Beotkkot'],
    ['한밭', 'Hanbat'],
    ['설악', 'Seorak'],
    ['칠곡', 'Chilgok'],
    ['임실', 'Imsil'],
    ['울릉', 'Ulleung'],
    ['대관령', 'Daegwallyeong'],
    ['백마', 'Baengma'],
    ['신문로', 'Sinmun-ro'],
    ['종로', 'Jongno'],
    ['별내', 'Byeollae'],
    ['신라', 'Silla'],
    ['해돋이', 'Haedoji'],
    ['같이', 'Gachi'],
    ['좋고', 'Joko'],
    ['묵호', 'Mukho'],
    ['집현', 'Jiphyeon'],
    ['압구정', 'Apgujeong'],
    ['속리산', 'Songnisan'],
    ['독립문', 'Dongnimmun'],
    ['충청북도', 'Chungcheongbuk-do'],
    ['제주도', 'Jeju-do'],
    ['의정부시', 'Uijeongbu-si'],
    ['양주군', 'Yangju-gun'],
    ['도봉구', 'Dobong-gu'],
    ['신창읍', 'Sinchang-eup'],
    ['삼죽면', 'Samjuk-myeon'],
    ['인왕리', 'Inwang-ri'],
    ['당산동', 'Dangsan-dong'],
    // Kinds of cities as the post writes them, and what people know
    ['서울특별시', 'Seoul'],
    ['부산광역시', 'Busan'],
    ['대구', 'Daegu'],
    ['제주특별자치도', 'Jeju-do'],
    ['세종특별자치시', 'Sejong-si'],
    ['종로구', 'Jongno-gu'],
    ['중구', 'Jung-gu'],
    ['북면', 'Buk-myeon'],
    ['밀양시', 'Miryang-si'],
    ['강릉시', 'Gangneung-si'],
    ['백령면', 'Baengnyeong-myeon'],
    ['안양시 만안구', 'Anyang-si Manan-gu'],
    ['역삼1동', 'Yeoksam 1-dong'],
    ['종로1·2·3가', 'Jongno 1·2·3-ga'],
  ])('KR %s is %s', (text, name) => expect(nameOf('KR', text)).toBe(name));

  test('syllables in parts are the same as whole ones', () => {
    expect(nameOf('KR', '추자면'.normalize('NFD'))).toBe('Chuja-myeon');
    expect(nameOf('UA', 'Київ'.normalize('NFD'))).toBe('Kyiv');
  });

  test('the words of Belarus are in the language of most', () => {
    // Neither letters of Russian nor of Belarusian alone.
    expect(nameOf('BY', 'Слуцк', ['Витебск', 'Щучин', 'Мірскі'])).toBe('Slutsk');
    expect(nameOf('BY', 'Слуцк', ['Віцебск', 'Мірскі', 'Щучин'])).toBe('Sluck');
    expect(nameOf('BY', 'Ельск', ['Віцебск'])).toBe('Jeĺsk');
  });

  test.each([
    ['RU', 'Уcть-Ордынский', 'Ust-Ordynskiy'],
    ['UA', 'Будищe', 'Budyshche'],
    ['UA', 'Оknianskyi', 'Oknianskyi'],
    ['CY', 'Eχο Metochi', 'Echo Metochi'],
    ['CY', 'Kato Zοdia', 'Kato Zodia'],
    ['MD', 'Suсleia 1', 'Sucleia 1'],
  ])('%s: letters of another script in %s', (country, text, name) => {
    expect(nameOf(country, text)).toBe(name);
    expect(/\p{Script=Cyrillic}|\p{Script=Greek}/u.test(name)).toBe(false);
  });

  // Letters of which alone nothing would be left, such as ь, are not among them: such a name stays.
  test('any text in any country has a name, in Latin letters', () => {
    const letters = "аяїєщўіѓљћЖЇЩαγχμπςΰΩ가힣둜긳ა ჰ-'’/()1aÉßİ漢あب🏝".split('');
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 }).map((one) => one.trim());
    fc.assert(
      fc.property(text, fc.constantFrom('RU', 'UA', 'BY', 'BG', 'MK', 'RS', 'GR', 'KR', 'GE', 'US'), (one, country) => {
        fc.pre(one !== '');
        const { name } = nameAll(country, [one]).get(one) as PlaceName;
        expect(name).not.toBe('');
        expect(name).not.toMatch(/[^\P{L}\p{Script=Latin}\p{Script=Common}]/u);
      }),
      { seed: 20260330, numRuns: 3000 },
    );
  });
});

describe('names with two spellings', () => {
  test.each([
    ['MK', 'Делчево / Delchevo', 'Delchevo', 'Делчево'],
    ['BG', 'Айтос / Ajtos', 'Ajtos', 'Айтос'],
    ['KR', '서울 / SEOUL', 'Seoul', '서울'],
  ])('%s %s', (country, text, name, localName) => {
    expect(nameAll(country, [text]).get(text)).toMatchObject({ name, localName, isRomanised: false });
  });

  test.each(['München', 'Alacant/Alicante', "Hawai'i", 'Kaʻaʻawa', '100', '🏝'])('%s is both', (text) => {
    expect(nameAll('US', [text]).get(text)).toEqual({
      name: text,
      localName: text,
      released: text,
      isRomanised: false,
    });
  });
});

describe('names in capitals', () => {
  test.each([
    ['AR', 'ROMA', 'Roma'],
    ['AR', 'PAZ', 'Paz'],
    ['AR', 'CONSTRUCTOR', 'Constructor'],
    ['AR', 'RUTA 3 KILOMETRO 38,100 AL 47', 'Ruta 3 Kilometro 38,100 al 47'],
    ['AR', 'VILLA DEL ROSARIO', 'Villa del Rosario'],
    ['AR', 'PASO DE LOS LIBRES', 'Paso de los Libres'],
    ['AR', 'COLONIA LOS PINOS', 'Colonia Los Pinos'],
    ['AR', 'EL NARANJO (DPTO. ROSARIO DE LA FRONTERA)', 'El Naranjo (Dpto. Rosario de la Frontera)'],
    ['AR', 'KILOMETRO 1125 (EMBARCADERO FCGB)', 'Kilometro 1125 (Embarcadero FCGB)'],
    ['AR', "GENERAL O'BRIEN", "General O'Brien"],
    ['AR', "D'ORBIGNY", "D'Orbigny"],
    ['AR', "COLONIA LIEBIG'S", "Colonia Liebig's"],
    ['AR', 'JOSE A. GUISASOLA', 'Jose A. Guisasola'],
    ['AR', 'GUAZU Y MANZANO', 'Guazu y Manzano'],
    ['AR', 'SEMINARIO PIO XII', 'Seminario Pio XII'],
    ['AR', 'MUNRO ESTAFETA No.2', 'Munro Estafeta No.2'],
    ['AR', 'ESTAFETA Nº 3', 'Estafeta Nº 3'],
    ['AR', 'COLONIA TOSCANA 1a.', 'Colonia Toscana 1a.'],
    ['AR', '2DA SECCION', '2da Seccion'],
    ['GT', 'DEPTO DE EL PROGRESO', 'Depto de El Progreso'],
    ['AU', 'VIC FAR COUNTRY', 'VIC Far Country'],
    ['AU', 'NSW NORTH COAST', 'NSW North Coast'],
    ['AU', 'SUNSHINE MT ISA', 'Sunshine Mt Isa'],
    ['RU', 'МАЙКОПСКИЙ РАЙОН', 'Maykopskiy Rayon'],
    ['RU', 'ИМ. ПОЛИНЫ ОСИПЕНКО РАЙОН', 'Im. Poliny Osipenko Rayon'],
    ['UA', "КАМ'ЯНЕЦЬ-ПОДІЛЬСЬКИЙ", 'Kamianets-Podilskyi'],
    ['GR', 'ΑΘΗΝΑ', 'Athina'],
    ['SE', 'STOCKHOLM', 'Stockholm'],
    ['IT', "L'AQUILA", "L'Aquila"],
    ['IT', "CIVITELLA D'ABRUZZO", "Civitella d'Abruzzo"],
    ['IT', "REGGIO NELL'EMILIA", "Reggio nell'Emilia"],
    ['IT', "SANT'ANGELO LODIGIANO", "Sant'Angelo Lodigiano"],
    ['FR', 'SAINT-JEAN-DE-LUZ', 'Saint-Jean-de-Luz'],
    ['FR', "VILLENEUVE-D'ASCQ", "Villeneuve-d'Ascq"],
    ['FR', "L'ISLE-D'ABEAU", "L'Isle-d'Abeau"],
    ['GP', "MORNE-À-L'EAU", "Morne-à-l'Eau"],
    ['FR', 'PARIS CEDEX 01', 'Paris CEDEX 01'],
    ['PT', 'VILA NOVA DE GAIA', 'Vila Nova de Gaia'],
    ['BR', 'SÃO JOÃO DEL REI', 'São João Del Rei'],
    ['DE', 'LUDWIGSHAFEN AM RHEIN', 'Ludwigshafen am Rhein'],
    ['DE', 'GROẞE STRASSE', 'Große Strasse'],
    ['CH', 'LA CHAUX-DE-FONDS', 'La Chaux-de-Fonds'],
    ['NL', 'IJSSELSTEIN', 'IJsselstein'],
    ['NL', "'S-GRAVENHAGE", "'s-Gravenhage"],
    ['NL', 'ALPHEN AAN DEN RIJN', 'Alphen aan den Rijn'],
    ['TR', 'ISPARTA', 'Isparta'],
    ['TR', 'DİYARBAKIR', 'Diyarbakır'],
    ['US', 'ISPARTA', 'Isparta'],
    ['US', 'MCDONALD', 'McDonald'],
    ['US', 'MACON', 'Macon'],
    ['US', "COEUR D'ALENE", "Coeur d'Alene"],
    ['US', "O'FALLON", "O'Fallon"],
    ['GB', 'STOKE ON TRENT', 'Stoke on Trent'],
    ['HR', 'KRK', 'Krk'],
    ['PL', 'OSTRÓW NAD BUGIEM', 'Ostrów nad Bugiem'],
  ])('%s: %s is shown as %s', (country, text, name) => {
    const found = nameAll(country, [text]).get(text);
    expect(found).toMatchObject({ name, localName: text, released: text });
  });

  test.each([
    ['US', 'APO AE'],
    ['FR', 'CEDEX'],
    ['MX', 'D.F.'],
    ['AR', 'FCGB'],
    ['AU', 'NSW'],
  ])('%s: %s is a code among any names', (country, text) => {
    expect(nameOf(country, text)).toBe(text);
  });

  const ORDINARY = ['Aachen', 'Bonn', 'Celle', 'Düren', 'Essen'];

  test.each([
    ['BARMER', 'Barmer'],
    ['LANDKREIS CLOPPENBURG', 'Landkreis Cloppenburg'],
    ['DER KURIER', 'Der Kurier'],
    ['KLINGE PHARMA GMBH', 'Klinge Pharma GmbH'],
    ['TÜV SÜD AG', 'TÜV SÜD AG'],
    ['IKEA', 'IKEA'],
    ['N26 AG', 'N26 AG'],
  ])('among names in ordinary case %s is shown as %s', (text, name) => {
    expect(nameOf('DE', text, [...ORDINARY])).toBe(name);
  });

  test('as the release writes it elsewhere, in any column', () => {
    expect(nameOf('DE', 'AXEL SPRINGER SE', [...ORDINARY, 'Axel Springer SE'])).toBe('Axel Springer SE');
    const texts = ['UMEÅ', 'JÄT', 'Kalmar', 'Lund', 'Umeå'];
    const { distinct, numbers } = namePlaces({ texts, types: [LOCALITY, LOCALITY, LOCALITY, LOCALITY, REGION] }, 'SE');
    expect([...numbers].map((number) => distinct[number]?.name)).toEqual(['Umeå', 'JÄT', 'Kalmar', 'Lund', 'Umeå']);
  });

  test('a column decides for itself', () => {
    const texts = ['SUR', 'OESTE', 'SUR', 'Norte'];
    const { distinct, numbers } = namePlaces({ texts, types: [REGION, REGION, LOCALITY, LOCALITY] }, 'AR');
    expect([...numbers].map((number) => distinct[number]?.name)).toEqual(['Sur', 'Oeste', 'SUR', 'Norte']);
  });
});

describe('in the tree of a country', () => {
  type Leaf = readonly [code: string, name: string, region: string];
  const row = ([postalCode, placeName, region]: Leaf) => ({
    postalCode,
    placeName,
    adminNames: [region, '', ''] as const,
    adminCodes: ['', '', ''] as const,
    latitude: 50,
    longitude: 30,
    placedBy: 'release' as const,
  });

  function build(country: string, leaves: readonly Leaf[]): CountryTree {
    const collector = new PlaceCollector();
    for (const leaf of leaves) collector.add(row(leaf));
    return buildCountryTree(cleanPlaces(collector.places, country).places, country);
  }

  const LEAVES: readonly Leaf[] = [
    ['101000', 'Москва', 'Москва'],
    ['620000', 'Екатеринбург', 'Свердловская Область'],
    ['620000', 'Ёлкино', 'Свердловская Область'],
    ['620000', 'Елкино', 'Свердловская Область'],
  ];

  test('places are ordered by name, slugs are those of the release', () => {
    const tree = build('RU', LEAVES);
    expect(tree.names).toEqual(['Moskva', 'Sverdlovskaya Oblast', 'Moskva', 'Yekaterinburg', 'Yelkino', 'Yolkino']);
    expect(tree.slugs).toEqual(tree.localNames.map((name, place) => (place === 5 ? 'elkino-620000' : slugOf(name))));
    expect(tree.slugs).toEqual(['moskva', 'sverdlovskaya-oblast', 'moskva', 'ekaterinburg', 'elkino', 'elkino-620000']);
  });

  test('siblings of one slug and code keep the order of the released names', () => {
    // Both are named "Yar", so that only the released names tell which comes first: Latin before Cyrillic letters.
    const pairs = [
      ['Yar', 'Яр'],
      ['Yaz', 'Яз'],
      ['Yan', 'Ян'],
      ['Lom', 'Лом'],
      ['Bor', 'Бор'],
      ['Kut', 'Кут'],
    ] as const;
    const tree = build(
      'UA',
      pairs.flatMap(([latin, cyrillic]): Leaf[] => [
        ['1', cyrillic, 'Область'],
        ['1', latin, 'Область'],
      ]),
    );
    const slugByLocalName = new Map(tree.localNames.map((name, place) => [name, tree.slugs[place]]));
    for (const [latin, cyrillic] of pairs) {
      const slug = latin.toLowerCase();
      expect([latin, slugByLocalName.get(latin), slugByLocalName.get(cyrillic)]).toEqual([latin, slug, `${slug}-1`]);
    }
  });
});

describe('transcribed as texts in German, French, Spanish and Portuguese write', () => {
  test.each([
    ['RU', 'Свободный', 'Swobodny Svobodny Svobodny Svobodny'],
    ['RU', 'Вязьма', 'Wjasma Viazma Viazma Viazma'],
    ['RU', 'Екатеринбург', 'Jekaterinburg Iekaterinbourg Yekaterinburg Iekaterinburg'],
    ['RU', 'Хабаровск', 'Chabarowsk Khabarovsk Jabarovsk Khabarovsk'],
    ['RU', 'Жуковский', 'Schukowski Joukovski Zhukovski Jukovski'],
    ['RU', 'Королёв', 'Koroljow Koroliov Koroliov Koroliov'],
    ['RU', 'Щёлково', 'Schtscholkowo Chtcholkovo Shcholkovo Chtcholkovo'],
    ['RU', 'Гусь-Хрустальный', 'Gus-Chrustalny Gous-Khroustalny Gus-Jrustalny Gus-Khrustalny'],
    ['RU', 'Вятские Поляны', 'Wjatskije Poljany Viatskie Poliany Viatskiye Poliany Viatskie Poliany'],
    ['RU', 'Александров', 'Alexandrow Aleksandrov Aleksandrov Aleksandrov'],
    ['RU', 'Чебоксары', 'Tscheboksary Tcheboksary Cheboksary Tcheboksary'],
    ['RU', 'Пушкин', 'Puschkin Pouchkine Pushkin Puchkin'],
    ['RU', 'Геленджик', 'Gelendschik Guelendjik Guelendzhik Guelendjik'],
    ['UA', 'Київ', 'Kyjiw Kyiv Kyiv Kyiv'],
    ['UA', 'Кривий Ріг', 'Krywyj Rih Kryvyi Rih Kryvyi Rih Kryvyi Rih'],
    ['UA', "Знам'янка", 'Snamjanka Znamianka Znamyanka Znamianka'],
    ['UA', 'Донецк', 'Donezk Donetsk Donetsk Donetsk'],
    ['BG', 'Велико Търново', 'Weliko Tarnowo Veliko Tarnovo Veliko Tarnovo Veliko Tarnovo'],
    ['BG', 'Шумен', 'Schumen Choumen Shumen Chumen'],
    ['BG', 'София', 'Sofia Sofia Sofia Sofia'],
    ['BY', 'Витебск', 'Witebsk Vitebsk Vitebsk Vitebsk'],
    ['BY', 'Магілёў', 'Mahiljou Mahilioou Mahiliou Mahiliou'],
  ])('%s %s', (country, name, expected) => {
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
    const marked = { name: 'Вязьма', isPreferred: false, isShort: false, isColloquial: false, isHistoric: false };
    const isTaken = (language: string): boolean =>
      createTranscriber('RU')({ ...city, otherNames: [], alternateNames: [{ ...marked, language }] }, []).length > 0;
    expect([isTaken('ru'), isTaken('uk')]).toEqual([true, false]);
    expect(createTranscriber('DE')(city, ['Мюнхен'])).toEqual([]);
    expect(createTranscriber('RS')(city, ['Ниш'])).toEqual([]);
  });
});
