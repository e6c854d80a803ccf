/**
 * How people in each country write the last line of an address, after the country sheets of the Universal Postal Union
 * and the habits around them. In a form, {code} is the code as people write it whole, {data} as the data has it, {bare}
 * its digits, {solid} the code without separators; {town} the town, {TOWN} in capitals without accents, {region} the
 * first-level unit, {st} its code, {prov} the code of the second-level unit.
 */

const FORMS = `
AD {code} {town}|{bare} {town}|{town} {code}
AL {code} {town}|{town} {code}
AR {code} {town}|{code} {town}, {region}|{town} {code}|{st}{code} {town}|{town} ({code})
AT {code} {town}|A-{code} {town}|{town} {code}|AT-{code} {town}
AU {TOWN} {st} {code}|{town} {st} {code}|{town}, {st} {code}|{town} {code}|{town}, {region} {code}
AZ {code} {town}|{town} {code}|{bare} {town}
BD {town} {code}|{town}-{code}|{town} - {code}
BE {code} {town}|B-{code} {town}|{town} {code}|BE-{code} {town}|{code} {TOWN}
BG {code} {town}|{town} {code}|BG-{code} {town}
BR {code} {town} - {st}|{town} - {st}, {code}|{code} {town}|{town}/{st} {code}|{town} {code}|{code} {town} {st}
BY {code} {town}|{town} {code}|{town}, {code}
CA {TOWN} {st} {code}|{town}, {st} {code}|{code} {town} {st}|{town} {st}  {code}|{town} {code}|{town} ({region}) {code}
CH {code} {town}|CH-{code} {town}|{code} {town} {st}|{town} {code}
CL {code} {town}|{town} {code}|{town}, {region} {code}
CN {code} {town}|{town} {code}|{town}, {region} {code}|{town}, {code}
CO {town} {code}|{code} {town}|{town}, {region} {code}
CR {code} {town}|{town} {code}|{region}, {town} {code}
CY {code} {town}|CY-{code} {town}|{town} {code}
CZ {code} {town}|{solid} {town}|CZ-{code} {town}|{town} {code}
DE {code} {town}|D-{code} {town}|{town} {code}|DE-{code} {town}|{code}, {town}
DK {code} {town}|DK-{code} {town}|{town} {code}
DO {code} {town}|{town} {code}
DZ {code} {town}|{town} {code}|{code} {TOWN}
EC {code} {town}|{town} {code}|{town} - {code}
EE {code} {town}|{town} {code}|EE-{code} {town}
ES {code} {town}|{code} {TOWN} ({region})|{town} {code}|E-{code} {town}|{code} - {town}|{code}, {town}
FI {code} {TOWN}|FI-{code} {town}|{code} {town}|{town} {code}
FR {code} {TOWN}|{code} {town}|F-{code} {town}|{town} {code}|{code} - {town}|{town} ({code})
GB {town} {code}|{TOWN} {code}|{town}, {code}|{code} {town}|{town} {data}|{town} {solid}
GT {code} {town}|{code}-{town}|{town} {code}
HR {code} {town}|HR-{code} {town}|{town} {code}
HT {code} {TOWN}|{town} {code}
HU {code} {town}|{TOWN} {code}|H-{code} {town}|{town} {code}
ID {town} {code}|{TOWN} {code}|{town}, {code}|{code} {town}
IE {town} {code}|{town}, {code}|{TOWN} {code}|{town} {data}
IN {town} {code}|{town} - {code}|{code} {town}|{town}, {region} {code}
IS {code} {town}|IS-{code} {town}|{town} {code}
IT {code} {town} {prov}|{code} {town} ({prov})|I-{code} {town}|{code} {TOWN} {prov}|{code} {town}|{town} {code}
JP {code} {town}|〒{code} {town}|{town} {code}|{town}, {region} {code}
KE {town} {code}|{code} {town}|{code}-{town}|{town}-{code}
KR {town} {code}|{code} {town}|{town}, {region} {code}
LI {code} {town}|LI-{code} {town}|FL-{code} {town}
LK {town} {code}|{code} {town}|{town}, {code}
LT LT-{code} {town}|{code} {town}|{town} {code}
LU {code} {town}|{bare} {town}|{town} {code}
LV {town}, {code}|{code} {town}|{town} {bare}
MA {code} {town}|{town} {code}|{code}, {town}
MC {code} {town}|{code} {TOWN}|MC-{code} {town}
MD {code} {town}|{bare} {town}|{town} {code}
MK {code} {town}|MK-{code} {town}|{town} {code}
MT {town} {code}|{code} {town}
MX {code} {town}, {st}|{code} {town}|{town}, {region} {code}|C.P. {code} {town}
MY {code} {town}|{code} {town}, {region}|{town} {code}|{code} {TOWN}
NL {code} {town}|{code} {TOWN}|{data} {town}|NL-{code} {town}|{town} {code}|{solid} {town}
NO {code} {TOWN}|{code} {town}|NO-{code} {town}|{town} {code}
NZ {town} {code}|{TOWN} {code}|{town}, {code}
PA {code} {town}|{town} {code}
PE {town} {code}|{code} {town}|{TOWN} {code}
PH {code} {town}|{town} {code}|{code} {town}, {region}|{town}, {code}
PK {town} {code}|{town}-{code}|{code} {town}|{town} - {code}
PL {code} {town}|{town} {code}|PL-{code} {town}|{code}, {town}
PR {town} PR {code}|{town}, PR {code}|{code} {town}
PT {code} {town}|{code} {TOWN}|P-{code} {town}|{town} {code}
RO {code} {town}|{town} {code}|{town}, {code}|RO-{code} {town}
RS {code} {town}|{town} {code}|RS-{code} {town}
RU {town} {code}|{code} {town}|{town}, {code}|{code}, {town}
SE {code} {TOWN}|{code} {town}|SE-{code} {town}|{solid} {town}|{town} {code}
SG Singapore {code}|SINGAPORE {code}|S{code}|S({code})|{code} Singapore
SI {code} {town}|SI-{code} {town}|{town} {code}
SK {code} {town}|{solid} {town}|SK-{code} {town}|{town} {code}
SM {code} {town}
TH {town} {code}|{code} {town}|{region} {code}|{town}, {region} {code}
TR {code} {town}|{code} {town}/{region}|{town} {code}|TR-{code} {town}|{code} {TOWN}
UA {code} {town}|{town} {code}|{town}, {code}|{code}, {town}
US {town}, {st} {code}|{TOWN} {st} {code}|{town} {st} {code}|{town}, {region} {code}|{town} {code}|{code} {town}|{town}, {st} {code}-1234
UY {code} {town}|{town} {code}
ZA {town} {code}|{TOWN} {code}|{town}, {code}|{code} {town}
RE {code} {town}|{code} {TOWN}
GP {code} {town}|{code} {TOWN}
`;

/** By country, the forms of its lines, the usual one first. */
export const FORMS_BY_COUNTRY = new Map(
  FORMS.trim()
    .split('\n')
    .map((line) => [line.slice(0, 2), line.slice(3).split('|')]),
);

/** What completes a code where the data has only first parts. */
const SECOND_PARTS = {
  CA: [' 1A1', ' 2B7', ' 0B1', ' 3N6', ' 5G8'],
  GB: [' 1AA', ' 2QU', ' 9RT', ' 4BD', ' 6HP'],
  IE: [' AF30', ' X285', ' KN96', ' T2D7'],
  MT: [' 1117', ' 2080', ' 4012'],
  NL: [' AB', ' XD', ' GP', ' KZ'],
};

/** The code as people write it whole. */
export function wholeCode(country, code, { one }) {
  return SECOND_PARTS[country] === undefined ? code : code + one(SECOND_PARTS[country]);
}

/** Codes of first-level units that the data does not have as people write them, by the unit's slug. */
const STATE_CODES = {
  AR: 'buenos-aires B,catamarca K,chaco H,chubut U,cordoba X,corrientes W,entre-rios E,formosa P,jujuy Y,la-pampa L,la-rioja F,mendoza M,misiones N,neuquen Q,rio-negro R,salta A,san-juan J,san-luis D,santa-cruz Z,santa-fe S,santiago-del-estero G,tucuman T',
  BR: 'acre AC,alagoas AL,amapa AP,amazonas AM,bahia BA,ceara CE,distrito-federal DF,federal-district DF,espirito-santo ES,goias GO,maranhao MA,mato-grosso MT,mato-grosso-do-sul MS,minas-gerais MG,para PA,paraiba PB,parana PR,pernambuco PE,piaui PI,rio-de-janeiro RJ,rio-grande-do-norte RN,rio-grande-do-sul RS,rondonia RO,roraima RR,santa-catarina SC,sao-paulo SP,sergipe SE,tocantins TO',
};
const STATE_CODES_BY_SLUG = Object.fromEntries(
  Object.entries(STATE_CODES).map(([country, text]) => [
    country,
    new Map(text.split(',').map((pair) => pair.split(' '))),
  ]),
);
/** Codes of units that people write: not the numbers that other systems have. */
const LETTERS = /^[a-z]{2,3}$/;

/** The code of the unit that people write, in capitals; undefined if there is none. */
export function unitCode(source, country, unit) {
  if (unit === undefined) return undefined;
  if (STATE_CODES_BY_SLUG[country] !== undefined) return STATE_CODES_BY_SLUG[country].get(unit.slug);
  return source
    .codesOfUnit(country, unit.path)
    .find((code) => LETTERS.test(code))
    ?.toUpperCase();
}

/**
 * Names of cities in their own country where the gazetteer's main name is the English one, as `English=local`, and the
 * reverse where people abroad write the English name.
 */
const LOCAL_NAMES = `AT Vienna=Wien|BE Brussels=Brussel,Antwerp=Antwerpen,Ghent=Gent,Bruges=Brugge,Ostend=Oostende,Louvain=Leuven|BG Sofia=София,Plovdiv=Пловдив,Varna=Варна|CH Zürich=Zürich,Geneva=Genève,Bern=Bern,Lucerne=Luzern,Basel=Basel|CO Bogotá=Bogotá|CZ Prague=Praha,Pilsen=Plzeň|DE Munich=München,Köln=Köln,Nuremberg=Nürnberg,Hanover=Hannover,Hamburg=Hamburg|DK Copenhagen=København|EE Tallinn=Tallinn|ES Seville=Sevilla,Zaragoza=Zaragoza,Córdoba=Córdoba|FI Helsinki=Helsinki|HU Budapest=Budapest|IT Rome=Roma,Milan=Milano,Naples=Napoli,Turin=Torino,Florence=Firenze,Genoa=Genova,Venice=Venezia,Padova=Padova,Syracuse=Siracusa,Mantova=Mantova|KR Seoul=서울,Busan=부산,Incheon=인천,Daegu=대구|LU Luxembourg=Luxembourg|LV Riga=Rīga|MD Chisinau=Chișinău|MT Valletta=Valletta|NL The Hague=Den Haag|PL Warsaw=Warszawa,Kraków=Kraków|PT Lisbon=Lisboa|RO Bucharest=București|RS Belgrade=Beograd,Niš=Niš|RU Moscow=Москва,Saint Petersburg=Санкт-Петербург,Novosibirsk=Новосибирск,Yekaterinburg=Екатеринбург,Nizhniy Novgorod=Нижний Новгород,Kazan=Казань,Samara=Самара|SE Gothenburg=Göteborg,Stockholm=Stockholm|TR Istanbul=İstanbul,Izmir=İzmir|US New York City=New York|UA Kyiv=Київ,Lviv=Львів,Odesa=Одеса,Kharkiv=Харків,Dnipro=Дніпро|AZ Baku=Bakı|CN Beijing=北京,Shanghai=上海,Guangzhou=广州`;
const LOCAL_NAME_BY_CITY = new Map(
  LOCAL_NAMES.split('|').flatMap((line) =>
    line
      .slice(3)
      .split(',')
      .map((pair) => pair.split('='))
      .map(([english, local]) => [`${line.slice(0, 2)} ${english}`, local]),
  ),
);

/** The city's name in its country where that is known to differ from the gazetteer's main one. */
export function localName({ countryCode, name }) {
  return LOCAL_NAME_BY_CITY.get(`${countryCode} ${name}`);
}

export const withoutAccents = (text) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ø/gi, 'o')
    .replace(/ł/g, 'l')
    .replace(/Ł/g, 'L');

/** The forms of a country that a line with these parts can have: those of which no part is missing. */
export function fillForm(form, parts) {
  const missing = [...form.matchAll(/\{(\w+)\}/g)].some(([, part]) => parts[part] === undefined);
  return missing ? undefined : form.replace(/\{(\w+)\}/g, (_, part) => parts[part]);
}
