import { expect, test } from '@jest/globals';
import { guessColumns } from '../../cli/enrich/plan-table.js';

test.each([
  ['id,land,PLZ', 1, 2],
  ['Straße,Postleitzahl,Ort,Länderkennzeichen', 3, 1],
  ['Laendercode,Plz', 0, 1],
  ['rue,Code postal,ville,Pays', 3, 1],
  ['calle,Código Postal,País', 2, 1],
  ['CAP,comune,paese', 2, 0],
  ['cep,pais', 1, 0],
  ['postal_code,country_code', 1, 0],
  ['postalCode,countryCode', 1, 0],
  ['ZIP,COUNTRY', 1, 0],
  ['customer.address.zip,customer.address.country', 1, 0],
  ['billing_zip,zip,country', 2, 1],
  ['Postnummer,Land', 1, 0],
  ['kod_pocztowy,kraj', 1, 0],
  ['индекс,страна', 1, 0],
  ['ταχυδρομικός κώδικας,χώρα', 1, 0],
  ['郵便番号,国', 1, 0],
  ['우편번호,국가', 1, 0],
  ['邮编,国家', 1, 0],
  ['الرمز البريدي,البلد', 1, 0],
])('%s', (header, country, postcode) => {
  expect(guessColumns(header.split(','))).toEqual({ country, postcode });
});

test.each(['landmark,gzip', 'capital,islands', 'countryside,capacity', 'Ort,Name', 'zip_length,country_count'])(
  'no column of %s',
  (header) => {
    expect(guessColumns(header.split(','))).toEqual({ country: undefined, postcode: undefined });
  },
);

test.each([
  ['name,Land,Anschrift', 2],
  ['Customer Address,Country', 0],
  ['email_address,direccion,pais', 1],
  ['E-Mail-Adresse,IP address', undefined],
  ['会社,住所', 1],
  ['имя,адрес', 1],
  ['Rechnungsadresse,Adresse', 0],
])('the address among %s', (header, address) => {
  expect(guessColumns(header.split(',')).address).toBe(address);
});
