/**
 * Queries that nothing in the data may answer, as `country|query`: short names and abbreviations of cities, cities of
 * countries without data, and texts that are no places (`--`). An empty list is right, and a place on the continent.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const COUNTRIES = resolve(import.meta.dirname, '../../../data/countries.tsv');
const GUESSES = `
AR|Bs. As.,Bs As,BsAs,CABA,Cap. Fed.,Pto Madryn,S. M. de Tucumán
CL|Pta. Arenas,Pto. Montt,Stgo,Stgo.,Valpo,Antof.
BR|S. Paulo,B. Horizonte,P. Alegre,Floripa,Sampa,BH - MG,R. de Janeiro
ES|Sta. Cruz de Tfe.,Barna,Donosti,S. Sebastián
PT|Lisb.,V. N. Gaia
RU|Ekb,SPb,Msk,Nizh. Novgorod,Н.Новгород,СПб,Мск
UA|Днепропетр.,Ив.-Франковск
DE|Ffm,Frankf. a. M.,MUC,Hbg.
DK|Kbh,Kbh. K
SE|Sthlm,Gbg
FI|Hki
BE|Bxl,Antw.
PL|W-wa,Wwa,Gorzów Wlkp.
HU|Bp.,Bpest
GB|Ldn,B'ham,M'cr,Soton,N'castle
CA|Mtl,Qc. City
US|Philly,Wash. DC,Wash DC,L.A.,N.Y.,NYC,SLC,OKC,Jax,K.C.,Cinci,Mpls,Indy
AU|Syd.,Melb.
MY|KL,J. Bahru
TH|BKK
ID|Jkt,Jogja,Sby
SG|S'pore
CN|Pekin,H.K.
JP|Tokyo,Osaka,Yokohama,Sapporo,東京
IN|Mumbai,Bengaluru,Kolkata,Hyderabad
EG|Cairo Egypt,Giza
NG|Ibadan,Kano Nigeria
CD|Kinshasa,Lubumbashi
ET|Addis Ababa
IQ|Baghdad,Basra
SA|Riyadh,Jeddah
AE|Dubai,Abu Dhabi
IR|Tehran,Isfahan
VN|Hanoi,HCMC,Saigon
MM|Yangon
UZ|Tashkent
GE|Tbilisi
GR|Thessaloniki,Αθήνα
BA|Sarajevo
IL|Tel Aviv
LB|Beirut
VE|Caracas,Maracaibo
MX|CDMX,Tijuana,Ciudad Juárez
GH|Accra,Kumasi
CI|Abidjan
TZ|Dar es Salaam
MZ|Maputo
AO|Luanda
--|qwertz,asdfgh,xkcdvbn,zzzzzz,lorem ipsum,foo bar baz,hfjdksl,blablabla,12 xyzzy street,wqxz 99
`;

/** `{ query, country, continent, continentOf }`; country and continent are undefined where nothing is meant. */
export function listWildGuesses() {
  const [, ...rows] = readFileSync(COUNTRIES, 'utf8').trim().split('\n');
  const continents = new Map(rows.map((row) => row.split('\t')).map(([code, , , continent]) => [code, continent]));
  const continentOf = (country) => continents.get(country);
  return GUESSES.trim()
    .split('\n')
    .flatMap((line) => {
      const country = line.startsWith('--') ? undefined : line.slice(0, 2);
      const queries = line.slice(3).split(',');
      return queries.map((query) => ({ query, country, continent: continentOf(country), continentOf }));
    });
}
