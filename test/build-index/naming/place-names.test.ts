/** What places are called: romanised names, by language, and names that were released in capitals. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { namePlaces, type PlaceName } from '../../../build-index/naming/place-names.js';
import { nameCases } from '../../fixtures/name-cases.js';

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
  test.each(
    nameCases(`
      // BGN/PCGN 1947, without its marks
      RU: Майкоп → Maykop | Екатеринбург → Yekaterinburg | Сысоево → Sysoyevo | Отъяссы → Otyassy
      Подъельск → Podyelsk | Щёлково → Shchyolkovo | Казань → Kazan | Йошкар-Ола → Yoshkar-Ola
      Верхний Уфалей 2 → Verkhniy Ufaley 2 | Приморский Край → Primorskiy Kray | Эльбан → Elban
      Ростов-На-Дону → Rostov-na-Donu | Совхоз Им. 50-Летия Октября → Sovkhoz im. 50-letiya Oktyabrya
      Им. М.И. Калинина → Im. M.I. Kalinina | Самара Pi-Sv → Samara Pi-Sv
      Санкт-Петербург Ems Сц → Sankt-Peterburg Ems Sts
      // Resolution 55 of 2010, with the examples of its table
      UA: Алушта → Alushta | Гадяч → Hadiach | Ґалаґан → Galagan | Єнакієве → Yenakiieve | Згурівка → Zghurivka
      Згорани → Zghorany | Запоріжжя → Zaporizhzhia | Їжакевич → Yizhakevych | Кадиївка → Kadyivka
      Йосипівка → Yosypivka | Стрий → Stryi | Київ → Kyiv | Біла Церква → Bila Tserkva | Щербухи → Shcherbukhy
      Юрій → Yurii | Крюківка → Kriukivka | Яготин → Yahotyn | Знам'янка → Znamianka | Знам’янка → Znamianka
      Кам\`янка → Kamianka | Івано-Ярізовка → Ivano-Yarizovka | Веселе (Григорівська) → Vesele (Hryhorivska)
      Зелений Гай (Зеленый Гай) → Zelenyi Hai (Zelenyy Hai)
      // The Russian names of the release, and Belarusian ones by the instruction of 2007
      BY: Витебск → Vitebsk | Щучин → Shchuchin | Магілёў → Mahilioŭ | Віцебск → Viciebsk
      // The Transliteration Act of 2009
      BG: София → Sofia | Търговище → Targovishte | Хасково → Haskovo | Ямбол → Yambol | Враца → Vratsa
      Златоград → Zlatograd
      MK: Делчево → Delchevo | Куманово → Kumanovo | Ѓорче Петров → Gjorche Petrov
      RS: Ниш → Niš | Љубовија → Ljubovija | Ђаковица → Đakovica
      // ELOT 743
      GR: Αθήνα → Athina | Πειραιάς → Peiraias | Θεσσαλονίκη → Thessaloniki | Ηράκλειο → Irakleio
      Ναύπακτος → Nafpaktos | Εύβοια → Evvoia | Αμπελόκηποι → Ampelokipoi | Μπάλι → Bali
      Άγιος Νικόλαος → Agios Nikolaos | Αγγελόκαστρο → Angelokastro
      CY: Λευκωσία → Lefkosia
      GE: თბილისი → Tbilisi | მცხეთა → Mtskheta | ქუთაისი → Kutaisi
      // No table: any-ascii
      CN: 东城区 → Dongchengqu
      KZ: Қарағанды → Qaraghandy
      // The characters don't determine the reading.
      JP: 東京
    `),
  )('%s %s is %s', (country, text, name) => {
    expect(nameAll(country, [text]).get(text)).toEqual({ name, localName: text, released: text, isRomanised: true });
  });

  test.each(
    nameCases(`
      // The ministry's own examples of the Revised Romanisation
      KR: 구미 → Gumi | 영동 → Yeong-dong | 백암 → Baegam | 옥천 → Okcheon | 합덕 → Hapdeok | 호법 → Hobeop | 월곶 → Wolgot
      벚꽃 → Beotkkot | 한밭 → Hanbat | 설악 → Seorak | 칠곡 → Chilgok | 임실 → Imsil | 울릉 → Ulleung | 대관령 → Daegwallyeong
      백마 → Baengma | 신문로 → Sinmun-ro | 종로 → Jongno | 별내 → Byeollae | 신라 → Silla | 해돋이 → Haedoji | 같이 → Gachi
      좋고 → Joko | 묵호 → Mukho | 집현 → Jiphyeon | 압구정 → Apgujeong | 속리산 → Songnisan | 독립문 → Dongnimmun
      충청북도 → Chungcheongbuk-do | 제주도 → Jeju-do | 의정부시 → Uijeongbu-si | 양주군 → Yangju-gun | 도봉구 → Dobong-gu
      신창읍 → Sinchang-eup | 삼죽면 → Samjuk-myeon | 인왕리 → Inwang-ri | 당산동 → Dangsan-dong
      // Kinds of cities as the post writes them, and what people know
      서울특별시 → Seoul | 부산광역시 → Busan | 대구 → Daegu | 제주특별자치도 → Jeju-do | 세종특별자치시 → Sejong-si | 종로구 → Jongno-gu
      중구 → Jung-gu | 북면 → Buk-myeon | 밀양시 → Miryang-si | 강릉시 → Gangneung-si | 백령면 → Baengnyeong-myeon
      안양시 만안구 → Anyang-si Manan-gu | 역삼1동 → Yeoksam 1-dong | 종로1·2·3가 → Jongno 1·2·3-ga
    `),
  )('%s %s is %s', (country, text, name) => expect(nameOf(country, text)).toBe(name));

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

  test.each(
    nameCases(`
      RU: Уcть-Ордынский → Ust-Ordynskiy
      UA: Будищe → Budyshche | Оknianskyi → Oknianskyi
      CY: Eχο Metochi → Echo Metochi | Kato Zοdia → Kato Zodia
      MD: Suсleia 1 → Sucleia 1
    `),
  )('%s: letters of another script in %s', (country, text, name) => {
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
  test.each(
    nameCases(`
      AR: ROMA → Roma | PAZ → Paz | CONSTRUCTOR → Constructor
      RUTA 3 KILOMETRO 38,100 AL 47 → Ruta 3 Kilometro 38,100 al 47 | VILLA DEL ROSARIO → Villa del Rosario
      PASO DE LOS LIBRES → Paso de los Libres | COLONIA LOS PINOS → Colonia Los Pinos
      EL NARANJO (DPTO. ROSARIO DE LA FRONTERA) → El Naranjo (Dpto. Rosario de la Frontera)
      KILOMETRO 1125 (EMBARCADERO FCGB) → Kilometro 1125 (Embarcadero FCGB) | GENERAL O'BRIEN → General O'Brien
      D'ORBIGNY → D'Orbigny | COLONIA LIEBIG'S → Colonia Liebig's | JOSE A. GUISASOLA → Jose A. Guisasola
      GUAZU Y MANZANO → Guazu y Manzano | SEMINARIO PIO XII → Seminario Pio XII
      MUNRO ESTAFETA No.2 → Munro Estafeta No.2 | ESTAFETA Nº 3 → Estafeta Nº 3
      COLONIA TOSCANA 1a. → Colonia Toscana 1a. | 2DA SECCION → 2da Seccion
      GT: DEPTO DE EL PROGRESO → Depto de El Progreso
      AU: VIC FAR COUNTRY → VIC Far Country | NSW NORTH COAST → NSW North Coast | SUNSHINE MT ISA → Sunshine Mt Isa
      RU: МАЙКОПСКИЙ РАЙОН → Maykopskiy Rayon | ИМ. ПОЛИНЫ ОСИПЕНКО РАЙОН → Im. Poliny Osipenko Rayon
      UA: КАМ'ЯНЕЦЬ-ПОДІЛЬСЬКИЙ → Kamianets-Podilskyi
      GR: ΑΘΗΝΑ → Athina
      SE: STOCKHOLM → Stockholm
      IT: L'AQUILA → L'Aquila | CIVITELLA D'ABRUZZO → Civitella d'Abruzzo | REGGIO NELL'EMILIA → Reggio nell'Emilia
      SANT'ANGELO LODIGIANO → Sant'Angelo Lodigiano
      FR: SAINT-JEAN-DE-LUZ → Saint-Jean-de-Luz | VILLENEUVE-D'ASCQ → Villeneuve-d'Ascq
      L'ISLE-D'ABEAU → L'Isle-d'Abeau
      GP: MORNE-À-L'EAU → Morne-à-l'Eau
      FR: PARIS CEDEX 01 → Paris CEDEX 01
      PT: VILA NOVA DE GAIA → Vila Nova de Gaia
      BR: SÃO JOÃO DEL REI → São João Del Rei
      DE: LUDWIGSHAFEN AM RHEIN → Ludwigshafen am Rhein | GROẞE STRASSE → Große Strasse
      CH: LA CHAUX-DE-FONDS → La Chaux-de-Fonds
      NL: IJSSELSTEIN → IJsselstein | 'S-GRAVENHAGE → 's-Gravenhage | ALPHEN AAN DEN RIJN → Alphen aan den Rijn
      TR: ISPARTA → Isparta | DİYARBAKIR → Diyarbakır
      US: ISPARTA → Isparta | MCDONALD → McDonald | MACON → Macon | COEUR D'ALENE → Coeur d'Alene
      O'FALLON → O'Fallon
      GB: STOKE ON TRENT → Stoke on Trent
      HR: KRK → Krk
      PL: OSTRÓW NAD BUGIEM → Ostrów nad Bugiem
    `),
  )('%s: %s is shown as %s', (country, text, name) => {
    const found = nameAll(country, [text]).get(text);
    expect(found).toMatchObject({ name, localName: text, released: text });
  });

  test.each(nameCases('US: APO AE | FR: CEDEX | MX: D.F. | AR: FCGB | AU: NSW'))(
    '%s: %s is a code among any names',
    (country, text) => expect(nameOf(country, text)).toBe(text),
  );

  const ORDINARY = ['Aachen', 'Bonn', 'Celle', 'Düren', 'Essen'];

  test.each(
    nameCases(`
      DE: BARMER → Barmer | LANDKREIS CLOPPENBURG → Landkreis Cloppenburg | DER KURIER → Der Kurier
      KLINGE PHARMA GMBH → Klinge Pharma GmbH | TÜV SÜD AG | IKEA | N26 AG
    `),
  )('in %s among names in ordinary case %s is shown as %s', (country, text, name) => {
    expect(nameOf(country, text, ORDINARY)).toBe(name);
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
