/**
 * Repairs the spelling of place names in the npm package `zipcodes`, which capitalises words by position only and has
 * lost every accented letter of its Canadian names to U+FFFD. A name that needs no repair comes back as it was.
 * Abbreviations that stand for a whole organisation stay, since the code is real. Pure: a few regular expressions a
 * name.
 */

/** Names that no rule mends: spelt-out initials, lost apostrophes, shortened directions. */
const UNITED_STATES_NAMES: Record<string, string> = {
  'At&t': 'AT&T',
  'Blairsden-graeagle': 'Blairsden-Graeagle',
  'Bois D Arc': "Bois D'Arc",
  'Butte Des Morts': 'Butte des Morts',
  'Coeur D Alene': "Coeur d'Alene",
  'D Hanis': "D'Hanis",
  'D Lo': "D'Lo",
  'J B P H H': 'JBPHH',
  'Land O Lakes': "Land O' Lakes",
  'M C B H Kaneohe Bay': 'MCBH Kaneohe Bay',
  'Melcher-dallas': 'Melcher-Dallas',
  'N Kingstown': 'North Kingstown',
  'N Little Rock': 'North Little Rock',
  'Naval Air Station/ Jrb': 'Naval Air Station/JRB',
  'Pointe A La Hache': 'Pointe à la Hache',
  'Portage Des Sioux': 'Portage des Sioux',
  'S Coffeyville': 'South Coffeyville',
  'U S A F Academy': 'USAF Academy',
  'U S Geological Survey': 'US Geological Survey',
};

export function repairUnitedStatesName(name: string): string {
  const whole = UNITED_STATES_NAMES[name];
  if (whole !== undefined) return whole;
  return name
    .replace(/ A F B$/, ' AFB')
    .replace(/\bO ([A-Z][a-z])/, "O'$1")
    .replace(/\bMc([a-z])/g, (_, letter: string) => `Mc${letter.toUpperCase()}`)
    .replace(/ (And|By|De|Del|Du|In|Of|On|Or|The)(?= )/g, (word) => word.toLowerCase());
}

/** By each damaged word of the package, in lower case and with U+FFFD, the word that Canada Post writes. */
const LOST_ACCENTS: Record<string, string> = Object.fromEntries(
  `açores adèle bélair châteauguay chaudière chénéville côte dorothée émard émile épiphanie félicien
  françois gaspé gaspésie grâce hébert hébertville hélène île îles jérôme jonquière lamèque lanaudière
  laterrière léonard lévis mère métabetchouan montérégie pelé pocatière prévost québec région rivière rivières
  témiscamingue thérèse trinité valère vallée geneviève`
    .split(/\s+/)
    .map((word) => [word.replace(/[^a-z-]/g, '\uFFFD'), word]),
);

const ACRONYMS = /(?<![\p{L}'])(cfb|cn|ne|nw|po|rcm|se|sfu|sw|ubc|uwo|yow|yqg|ytz|yvr|ywg|yxd|yxu|yyc|yyz)(?!\p{L})/giu;
const PARTICLES = 'au|aux|de|des|du|la|le|les|sur';

export function repairCanadianName(name: string): string {
  return (
    name
      .replace(/[\p{L}\uFFFD]*\uFFFD[\p{L}\uFFFD]*/gu, (word) => LOST_ACCENTS[word.toLowerCase()] ?? word)
      // The source broke long names after a hyphen: "Saint-jean- Sur-richelieu".
      .replace(/(?<=\p{L})- (?=\p{L})/gu, '-')
      .replace(/(?<![\p{L}'\d])\p{L}/gu, (letter) => letter.toUpperCase())
      // Elisions: "L'amoreaux", "Région D'oka", but not the genitive of "King's".
      .replace(
        /(?<!\p{L})(D|L|O|Qu)'(\p{L})/gu,
        (_, article: string, letter: string) => `${article}'${letter.toUpperCase()}`,
      )
      .replace(/(?<=[-\p{L}.] ?)(?<=[- ])D'/gu, "d'")
      .replace(/-A-La-/g, '-à-la-')
      .replace(new RegExp(`-(${PARTICLES})(?=-)`, 'gi'), (particle) => particle.toLowerCase())
      .replace(/(?<=[\p{L}.)] )(And|Aux|De|In|Of)(?= )/gu, (word) => word.toLowerCase())
      .replace(/(?<= of )The(?= )|(?<=(de|Portage) )La(?= )/g, (word) => word.toLowerCase())
      .replace(/\bMc(\p{Ll})/gu, (_, letter: string) => `Mc${letter.toUpperCase()}`)
      .replace(ACRONYMS, (word) => word.toUpperCase())
      // Codes inside a name: "(enclave of M5e)".
      .replace(/\b[A-Z]\d[a-z]\b/g, (code) => code.toUpperCase())
  );
}
