/**
 * All words and messages of the form, in each language of LANGUAGES in its order.
 * German addresses nobody, neither as Sie nor as du; Spanish says usted, which is right in Spain and in America; French
 * has a no-break space before a colon. Names of countries stand alone, in brackets, because some take an article.
 */

/** The words for fields. address-format.ts says which country has which. */
export type TermName =
  | 'street'
  // Postal codes.
  | 'postalCode'
  | 'postcode'
  | 'zip'
  | 'eircode'
  | 'pin'
  | 'cap'
  | 'cep'
  | 'plz'
  | 'npa'
  // States.
  | 'area'
  | 'county'
  | 'department'
  | 'doSi'
  | 'emirate'
  | 'governorate'
  | 'island'
  | 'municipality'
  | 'oblast'
  | 'parish'
  | 'prefecture'
  | 'province'
  | 'region'
  | 'state'
  // Cities; a district or an area may be a state or a suburb too.
  | 'city'
  | 'district'
  | 'postTown'
  | 'suburbOrTown'
  // Suburbs.
  | 'neighborhood'
  | 'suburb';

/**
 * A message about a number, `{count}`, by the plural rules of its language: `other` is for the numbers without a rule.
 */
export type PluralMessage = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export interface Messages extends Readonly<Record<TermName, string>> {
  /** The language of the messages, a BCP 47 tag. */
  readonly language: string;
  /** Name of the group of fields. */
  readonly address: string;
  readonly country: string;
  /** Beside the label of a field that may stay empty. */
  readonly optional: string;
  /** An error beside a required field that is empty. */
  readonly required: string;
  /** Name of the list of suggestions for the field with a `{label}`. */
  readonly suggestions: string;
  /** The number of suggestions, for screen readers. */
  readonly resultCount: PluralMessage;
  /** The API has no such `{code}` in the `{country}`, although the code may be right. */
  readonly codeUnknown: string;
  /** The API has no such `{code}`, and a `{town}` to which the codes around it belong. */
  readonly codeInferred: string;
  /** Only an earlier release has the code. */
  readonly codeWithdrawn: string;
  /** The API has the code as `{postcode}`. */
  readonly codeNormalised: string;
  /** The code is not complete: an `{example}` from the `{country}`. */
  readonly codeFormat: string;
  readonly chooseCity: PluralMessage;
  /** The chosen city has several codes. */
  readonly chooseCode: PluralMessage;
  readonly serviceAway: string;
}

/** A message in each language. */
type MessageName = Exclude<keyof Messages, 'language'>;

export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;

/** One word or message in each language. */
type InEachLanguage<Message> = readonly [english: Message, german: Message, french: Message, spanish: Message];

export const WORDS: { readonly [Key in MessageName]: InEachLanguage<Messages[Key]> } = {
  address: ['Address', 'Adresse', 'Adresse', 'Dirección'],
  country: ['Country', 'Land', 'Pays', 'País'],
  street: ['Street address', 'Straße und Hausnummer', 'Numéro et rue', 'Calle y número'],
  postalCode: ['Postal code', 'Postleitzahl', 'Code postal', 'Código postal'],
  postcode: ['Postcode', 'Postleitzahl', 'Code postal', 'Código postal'],
  zip: ['ZIP code', 'Postleitzahl (ZIP)', 'Code postal (ZIP)', 'Código postal (ZIP)'],
  eircode: ['Eircode', 'Postleitzahl (Eircode)', 'Code postal (Eircode)', 'Código postal (Eircode)'],
  pin: ['PIN code', 'Postleitzahl (PIN)', 'Code postal (PIN)', 'Código postal (PIN)'],
  cap: ['Postal code (CAP)', 'Postleitzahl (CAP)', 'Code postal (CAP)', 'Código postal (CAP)'],
  cep: ['Postal code (CEP)', 'Postleitzahl (CEP)', 'Code postal (CEP)', 'Código postal (CEP)'],
  plz: ['Postal code (PLZ)', 'PLZ', 'Code postal (PLZ)', 'Código postal (PLZ)'],
  npa: ['Postal code (PLZ/NPA)', 'PLZ', 'NPA', 'Código postal (PLZ/NPA)'],
  area: ['Area', 'Gebiet', 'Zone', 'Área'],
  county: ['County', 'Kreis/Grafschaft', 'Comté', 'Condado'],
  department: ['Department', 'Departement', 'Département', 'Departamento'],
  doSi: ['Province or city', 'Provinz oder Stadt', 'Province ou ville', 'Provincia o ciudad'],
  emirate: ['Emirate', 'Emirat', 'Émirat', 'Emirato'],
  governorate: ['Governorate', 'Gouvernement', 'Gouvernorat', 'Gobernación'],
  island: ['Island', 'Insel', 'Île', 'Isla'],
  municipality: ['Municipality', 'Gemeinde', 'Municipalité', 'Municipio'],
  oblast: ['Oblast', 'Oblast', 'Oblast', 'Óblast'],
  parish: ['Parish', 'Bezirk (Parish)', 'Paroisse', 'Parroquia'],
  prefecture: ['Prefecture', 'Präfektur', 'Préfecture', 'Prefectura'],
  province: ['Province', 'Provinz', 'Province', 'Provincia'],
  region: ['Region', 'Region', 'Région', 'Región'],
  state: ['State', 'Bundesstaat', 'État', 'Estado'],
  city: ['City', 'Ort', 'Ville', 'Ciudad'],
  district: ['District', 'Bezirk', 'District', 'Distrito'],
  postTown: ['Town or city', 'Ort', 'Ville', 'Ciudad'],
  suburbOrTown: ['Suburb or town', 'Ort', 'Localité', 'Localidad'],
  neighborhood: ['Neighborhood', 'Stadtviertel', 'Quartier', 'Colonia o barrio'],
  suburb: ['Suburb', 'Ortsteil', 'Quartier', 'Barrio'],
  optional: ['optional', 'optional', 'facultatif', 'opcional'],
  required: [
    'Please fill in this field.',
    'Bitte dieses Feld ausfüllen.',
    'Veuillez remplir ce champ.',
    'Rellene este campo.',
  ],
  suggestions: ['Suggestions for {label}', 'Vorschläge: {label}', 'Suggestions\u00a0: {label}', 'Sugerencias: {label}'],
  resultCount: [
    { one: '{count} result', other: '{count} results' },
    { one: '{count} Ergebnis', other: '{count} Ergebnisse' },
    { one: '{count} résultat', other: '{count} résultats' },
    { one: '{count} resultado', other: '{count} resultados' },
  ],
  codeUnknown: [
    'We don’t know this code: {code} ({country}). Check it, or go on.',
    'Diese Postleitzahl ist nicht bekannt: {code} ({country}). Bitte prüfen oder fortfahren.',
    'Nous ne connaissons pas ce code\u00a0: {code} ({country}). Vérifiez-le, ou continuez.',
    'No conocemos este código: {code} ({country}). Revíselo, o siga adelante.',
  ],
  codeInferred: [
    'Not a code that we know, but it belongs to {town}.',
    'Diese Postleitzahl ist nicht bekannt, gehört aber zu {town}.',
    'Nous ne connaissons pas ce code, mais il correspond à cette ville\u00a0: {town}.',
    'No conocemos este código, pero corresponde a {town}.',
  ],
  codeWithdrawn: [
    'This code is no longer used.',
    'Diese Postleitzahl gibt es nicht mehr.',
    'Ce code n’est plus utilisé.',
    'Este código ya no se usa.',
  ],
  codeNormalised: [
    'Known as {postcode}.',
    'Bekannt als {postcode}.',
    'Connu sous la forme {postcode}.',
    'Se conoce como {postcode}.',
  ],
  codeFormat: [
    'A code looks like this: {example} ({country}).',
    'So sieht eine Postleitzahl aus: {example} ({country}).',
    'Exemple de code\u00a0: {example} ({country}).',
    'Ejemplo de código: {example} ({country}).',
  ],
  chooseCity: [
    { other: '{count} cities have this code: choose one.' },
    { other: '{count} Orte haben diese Postleitzahl. Bitte einen auswählen.' },
    { other: '{count} villes ont ce code. Choisissez-en une.' },
    { other: '{count} ciudades tienen este código. Elija una.' },
  ],
  chooseCode: [
    { other: 'This city has {count} codes: choose one.' },
    { other: 'Dieser Ort hat {count} Postleitzahlen. Bitte eine auswählen.' },
    { other: 'Cette ville a {count} codes. Choisissez-en un.' },
    { other: 'Esta ciudad tiene {count} códigos. Elija uno.' },
  ],
  serviceAway: [
    'No suggestions right now. You can still fill in the form.',
    'Zurzeit keine Vorschläge. Das Formular lässt sich trotzdem ausfüllen.',
    'Aucune suggestion pour le moment. Vous pouvez remplir le formulaire.',
    'Por ahora no hay sugerencias. Puede rellenar el formulario.',
  ],
};
