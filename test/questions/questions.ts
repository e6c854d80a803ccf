/**
 * The questions that every surface must answer alike: where is this point, where is this code, which place does this line
 * mean. A table has those of one snapshot: that of the starter countries, or that of the world.
 */

/** Of a country and its city, as an answer names both; the others say why there is none. */
export type Answer = readonly [country: string, city: string] | 'no data' | 'nothing';

/** A point in degrees, and the place at it. */
export type PointQuestion = readonly [lat: number, lng: number, answer: Answer];

type Match = 'exact' | 'normalised' | 'partial' | 'inferred' | 'none';

/** A code as typed in a country, how it is found, and where. */
export type CodeQuestion = readonly [country: string, code: string, match: Match, city?: string];

/** A line without a country, how it is found, and the place with its code. */
export type LineQuestion = readonly [line: string, match: Match, country?: string, code?: string | null, city?: string];

export interface Questions {
  readonly points: readonly PointQuestion[];
  readonly codes: readonly CodeQuestion[];
  readonly lines: readonly LineQuestion[];
}

/** Of the starter countries. */
export const starterQuestions: Questions = {
  points: [
    [48.137, 11.575, ['DE', 'München']],
    [52.52, 13.405, ['DE', 'Berlin']],
    [47.663, 9.175, ['DE', 'Konstanz']],
    [47.698, 8.689, ['DE', 'Büsingen am Hochrhein']],
    [47.377, 8.541, ['CH', 'Zürich']],
    [46.204, 6.143, ['CH', 'Genève']],
    [47.559, 7.588, ['CH', 'Basel']],
    [50.847, 4.352, ['BE', 'Bruxelles']],
    [51.219, 4.402, ['BE', 'Antwerpen']],
    [52.373, 4.892, ['NL', 'Amsterdam']],
    [51.924, 4.478, ['NL', 'Rotterdam']],
    [49.611, 6.131, ['LU', 'Luxembourg']],
    [43.653, -79.383, ['CA', 'Toronto']],
    [45.508, -73.587, ['CA', 'Montréal']],
    [42.317, -83.037, ['CA', 'Windsor']],
    [42.331, -83.046, ['US', 'Detroit']],
    [40.7128, -74.006, ['US', 'New York']],
    [32.715, -117.161, ['US', 'San Diego']],
    [18.466, -66.106, ['PR', 'San Juan']],
    [53.35, -6.26, ['IE', 'Dublin']],
    [64.146, -21.942, ['IS', 'Reykjavík']],
    [32.515, -117.038, 'no data'],
    [35.68, 139.69, 'no data'],
    [48.208, 16.372, ['AT', 'Wien']],
    [48.857, 2.351, 'no data'],
    [45.464, 9.19, 'no data'],
    [43.703, 7.266, 'no data'],
    [51.507, -0.128, ['GB', 'London']],
    [30, -40, 'nothing'],
  ],
  codes: [
    ['DE', '10115', 'exact', 'Berlin'],
    ['DE', 'D-10115', 'normalised', 'Berlin'],
    ['DE', '80331', 'exact', 'München'],
    ['DE', '1067', 'normalised', 'Dresden'],
    ['CH', '8001', 'exact', 'Zürich'],
    ['CH', 'CH-8001', 'normalised', 'Zürich'],
    ['AD', 'AD500', 'exact', 'Andorra la Vella'],
    ['NL', '1012', 'exact', 'Amsterdam'],
    ['NL', '1012 AB', 'partial', 'Amsterdam'],
    ['CA', 'K1A 0B1', 'partial', 'Ottawa'],
    ['CA', 'm5v', 'normalised', 'Toronto'],
    ['IE', 'D02 AF30', 'partial', 'Dublin'],
    ['US', '90210', 'exact', 'Beverly Hills'],
    ['US', '02138-1234', 'partial', 'Cambridge'],
    ['US', '10001', 'exact', 'New York'],
    ['IS', '101', 'exact', 'Reykjavík'],
    ['DE', '00001', 'none'],
    ['US', '99999', 'none'],
    ['CH', 'ABC', 'none'],
  ],
  lines: [
    ['10115 Berlin', 'exact', 'DE', '10115', 'Berlin'],
    ['Invalidenstr. 43, D-10115 Berlin', 'exact', 'DE', '10115', 'Berlin'],
    ['Bahnhofstrasse 1, 8001 Zürich', 'exact', 'CH', '8001', 'Zürich'],
    ['1600 Pennsylvania Ave NW, Washington, DC 20500', 'exact', 'US', '20500', 'Washington'],
    ['350 5th Ave, New York, NY 10118', 'exact', 'US', '10118', 'New York'],
    ['Dam 1, 1012 JS Amsterdam', 'partial', 'NL', '1012', 'Amsterdam'],
    ['290 Bremner Blvd, Toronto, ON M5V 3L9', 'partial', 'CA', 'M5V', 'Toronto'],
    ['Grand Place 1, 1000 Bruxelles', 'exact', 'BE', '1000', 'Bruxelles'],
    ['10 rue de Rivoli, 75004 Paris', 'none'],
    ['10117 Paris', 'none'],
    ['Syntagma 1, Athens', 'none'],
    ['75004 Rivoli', 'none'],
    ['10 Downing Street', 'none'],
    ['80331 Hamburg', 'none'],
    ['nowhere at all', 'none'],
  ],
};

/** Of the world of a release with the cities of the gazetteer. */
export const worldQuestions: Questions = {
  points: [
    ...starterQuestions.points.filter(([, , answer]) => typeof answer !== 'string'),
    [48.208, 16.372, ['AT', 'Wien']],
    [50.061, 19.938, ['PL', 'Kraków']],
    [50.637, 3.063, ['FR', 'Lille']],
    [43.703, 7.266, ['FR', 'Nice']],
    [43.738, 7.424, ['MC', 'Monaco']],
    [55.605, 13.0, ['SE', 'Malmö']],
    [55.676, 12.568, ['DK', 'København']],
    [-34.604, -58.382, ['AR', 'Buenos Aires']],
    [-34.903, -56.188, ['UY', 'Montevideo']],
    [35.889, -5.316, ['ES', 'Ceuta']],
    [48.573, 7.752, ['FR', 'Strasbourg']],
    [50.45, 30.524, ['UA', 'Kyiv']],
    [-33.925, 18.424, ['ZA', 'Cape Town']],
    [-23.55, -46.633, ['BR', 'São Paulo']],
    [31.23, 121.474, ['CN', 'Shanghai']],
    [51.507, -0.128, ['GB', 'London']],
    [54.597, -5.93, ['GB', 'Belfast']],
    [32.515, -117.038, 'no data'],
    [35.68, 139.69, 'no data'],
    [30, -40, 'nothing'],
  ],
  codes: [
    ...starterQuestions.codes,
    ['BR', '01310-100', 'inferred', 'São Paulo'],
    ['BR', '01310100', 'inferred', 'São Paulo'],
    ['CN', '200001', 'inferred', 'Shanghai'],
    ['PL', '00-001', 'inferred', 'Warszawa'],
    ['FR', '75001', 'exact', 'Paris'],
    ['FR', '75380', 'normalised', 'Paris'],
    ['GB', 'SW1A 1AA', 'partial', 'London'],
    ['GB', 'EH1', 'exact', 'Edinburgh'],
    ['ZA', '8001', 'exact', 'Cape Town'],
    ['AT', '1010', 'exact', 'Wien'],
    ['IT', '20121', 'exact', 'Milano'],
    ['ES', '51001', 'exact', 'Ceuta'],
  ],
  lines: [
    ...starterQuestions.lines.filter(([, match]) => match !== 'none'),
    ['10 rue de Rivoli, 75004 Paris', 'exact', 'FR', '75004', 'Paris'],
    ['Avenida Paulista 1000, São Paulo 01310-100', 'inferred', 'BR', null, 'São Paulo'],
    ['10 Downing Street, London SW1A 2AA', 'partial', 'GB', 'SW1A', 'London'],
    ['Stephansplatz 1, 1010 Wien', 'exact', 'AT', '1010', 'Wien'],
    ['Piazza del Duomo, 20121 Milano', 'exact', 'IT', '20121', 'Milano'],
    ['10117 Paris', 'none'],
    ['75004 Rivoli', 'none'],
    ['10 Downing Street', 'none'],
    ['nowhere at all', 'none'],
  ],
};
