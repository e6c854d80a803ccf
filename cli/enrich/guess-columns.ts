/**
 * Guesses which columns hold countries, postal codes and addresses, from the names of the columns alone. Names are
 * compared folded and without separators: `Postal-Code`, `postalCode` and `POSTAL_CODE` are one name. A name may have
 * other words before it: `billing_zip`.
 */

import { foldQuery, foldText } from '../../src/core/snapshot/fold-text.js';

const COUNTRY_NAMES = foldedSet(`
  country | country code | country iso | country iso2 | country iso3 | country name | iso country | iso2 | iso3 | nation
  land | landcode | land code | länderkennzeichen | ländercode | länderkürzel | lkz | staat | landkod | landkode
  pays | code pays | país | codigo pais | código de país | paese | nazione | codice paese | codi país
  kraj | kod kraju | země | kód země | stát | krajina | država | zemlja | ország | országkód | țară | cod țară
  riik | maa | maakoodi | maatunnus | valsts | šalis | ülke | ülke kodu | vendi | χώρα | страна | код страны | країна
  държава | држава | земја | 国 | 国名 | 国コード | 国家 | 国家代码 | 國家 | 국가 | 국가코드 | البلد | الدولة | کشور | מדינה | ארץ
  ประเทศ | quốc gia | negara | bansa | nchi
`);

const POSTCODE_NAMES = foldedSet(`
  postcode | post code | postal code | postal | zip | zip code | zip5 | zip plus4 | zip postal code | zip or postal code
  pin | pin code | eircode | plz | postleitzahl | postleitzahlen | npa | code postal | cp | c p | código postal | codi postal
  cap | codice postale | codice avviamento postale | cep | código de endereçamento postal | postnummer | postnr | post nr
  postinumero | póstnúmer | kod pocztowy | psč | směrovací číslo | smerovacie číslo | irányítószám | irsz | cod poștal
  poštanski broj | poštna številka | sihtnumber | postiindeks | pasta indekss | pašto kodas | posta kodu | kodi postar
  ταχυδρομικός κώδικας | τκ | почтовый индекс | индекс | поштовий індекс | пощенски код | поштански број | поштенски број
  郵便番号 | 邮政编码 | 邮编 | 郵遞區號 | 우편번호 | الرمز البريدي | کد پستی | מיקוד | รหัสไปรษณีย์ | mã bưu chính | kode pos | poskod
`);

const ADDRESS_NAMES = foldedSet(`
  address | full address | address line | addr | location address | adresse | anschrift | postanschrift | lieferadresse
  rechnungsadresse | adresse complète | adresse postale | dirección | domicilio | direccion completa | indirizzo | endereço
  morada | adreça | enderezo | helbide | adres | adress | utdelningsadress | postadress | postadresse | osoite | postiosoite
  heimilisfang | póstfang | adres pocztowy | adresa | poštová adresa | poštanska adresa | naslov | cím | lakcím | postacím
  aadress | postiaadress | adrese | pasta adrese | adresas | pašto adresas | adresi | tam adres | adresë | διεύθυνση
  адрес | почтовый адрес | адреса | поштова адреса | пощенски адрес | 住所 | 所在地 | 地址 | 詳細地址 | 详细地址 | 주소 | 도로명주소
  العنوان | عنوان | آدرس | نشانی | כתובת | ที่อยู่ | địa chỉ | alamat | tirahan | anwani
`);

/** Words of names of addresses that are no places: "email_address", "IP-Adresse". */
const NO_PLACES = foldedSet(
  'email | mail | courriel | correo | e | ip | mac | web | url | internet | wallet | почты | メール',
);

interface GuessedColumns {
  /** Positions in the list of names. */
  readonly country: number | undefined;
  readonly postcode: number | undefined;
  readonly address: number | undefined;
}

export function guessColumns(names: readonly string[]): GuessedColumns {
  const words = names.map(wordsOf);
  const postcode = bestOf(words, POSTCODE_NAMES);
  const places = words.map((name) => (name.some((word) => NO_PLACES.has(word)) ? [] : name));
  const address = bestOf(places, ADDRESS_NAMES);
  return { country: bestOf(words, COUNTRY_NAMES, postcode), postcode, address };
}

/** The first name that is in the set whole, or else the first name that ends with one. */
function bestOf(names: readonly (readonly string[])[], set: ReadonlySet<string>, except?: number): number | undefined {
  let best: number | undefined;
  let fewest = Infinity;
  names.forEach((words, position) => {
    if (position === except) return;
    const before = words.findIndex((_, from) => set.has(words.slice(from).join('')));
    if (before !== -1 && before < fewest) [best, fewest] = [position, before];
  });
  return best;
}

/** Maximum number of words of a name that are looked at. */
const MAX_WORDS = 12;

function wordsOf(name: string): string[] {
  const apart = name.slice(0, 200).replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return foldText(apart).split(' ').slice(-MAX_WORDS);
}

function foldedSet(names: string): ReadonlySet<string> {
  // Of "ländercode" also "laendercode".
  const forms = names.split(/[|\n]/).flatMap((name) => foldQuery(name.trim()));
  return new Set(forms.map((form) => form.replaceAll(' ', '')).filter((form) => form !== ''));
}
