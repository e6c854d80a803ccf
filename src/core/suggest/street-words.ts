/**
 * Words that tell a street, a house number or a post box from a town, in the languages of most addresses. All are folded.
 */

const listed = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Kinds of streets behind their names: "Main St", "Váci utca". */
export const LAST_WORDS = listed(`
  street st road rd avenue ave av lane ln drive dr boulevard blvd way court ct place pl plaza square sq terrace parkway
  pkwy highway hwy circle cir trail row close crescent cres gardens grove mews walk yard alley broadway
  strasse str allee gasse weg platz ufer straat laan plein kade vej gade gate vei gata gatan vagen katu tie
  utca ut korut sokak sk caddesi cad mahallesi mah ulitsa prospekt dori marg
`);

/** Kinds of streets before their names, and what stands before a number: "rue de la Paix", "Suite 5", "Tel. 030". */
export const FIRST_WORDS = listed(`
  rue avenue av ave bd blvd boulevard allee allees place chemin impasse quai route rte cours passage square
  via viale piazza corso largo vicolo strada calle avenida avda plaza paseo carrer passeig carretera camino ronda
  rua travessa praca alameda estrada ul ulica aleja plac trg jl jalan str sos bulevardul calea ulitsa prospekt odos
  leoforos bulvar
  suite ste apt apartment unit flat floor level room rm box pobox postfach postbus postboks bp apartado casilla no nr num
  number hausnummer tel telefon phone fon fax mobile mobil order invoice ref lot km
`);

/** Ends of compounds that are streets: "Hauptstraße", "Kungsgatan". */
export const STREET_ENDINGS =
  /\p{L}{2}(?:strasse|str|gasse|allee|platz|weg|straat|laan|plein|gatan|gata|vagen|gade|vej|veien|vegen|katu|utca)$/u;

/** Words after which the name of a street goes on: "rue de | Paris". */
export const CONNECTING_WORDS = listed(`
  de du des d la le les l del della delle dei degli di da do dos das e y i et und and of the van der den het zum zur am
  im an in der dem au aux en el los las san santa santo saint sankt st ste sao
`);

/** Whether folded words end as a street does: "main st", "hauptstrasse"; or begin so: "rue de paris". */
export function isStreet(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return STREET_ENDINGS.test(last) || (words.length > 1 && LAST_WORDS.has(last));
}
