/**
 * Whether a place lies in the admin unit of a city. The gazetteer's codes and the release's are those of one authority
 * in some countries (CN, FR, US) and not in others (DE). Which of them, the country's surest matches tell: where nearly
 * all of them have equal codes, codes are compared; elsewhere a code of the gazetteer stands for the codes or units of
 * the release in which its cities were found.
 */
import type { City } from './city-row.js';
import type { Agreement } from './nearness.js';

/** So many sure matches of which nearly all agree make the codes those of one authority. */
const MIN_SURE_MATCHES = 5;
const AGREEING_SHARE = 0.97;
/** From so many cities on, a code of the gazetteer whose cities lie elsewhere in the release is known not to be here. */
const MIN_CITIES_OF_CODE = 5;
const MIN_SHARE_OF_CODE = 0.1;

export class AdminAgreement {
  private sureMatches = 0;
  private equalCodes = 0;
  private readonly unitsByCode = new Map<string, { cities: number; readonly units: Map<string, number> }>();

  /**
   * `level` is 1 or 2: which of a city's admin codes, and of a place's, are compared. `releaseCodes` has all codes of that
   * level in the country's rows.
   */
  constructor(
    private readonly level: 1 | 2,
    private readonly releaseCodes: ReadonlySet<string>,
  ) {}

  /**
   * Learns from a city whose place is known; `units` are the codes or other keys of the release's units in which the
   * places lie that bear the city's name close by.
   */
  learn(city: City, units: ReadonlySet<string>): void {
    const code = this.codeOf(city);
    if (code === '' || units.size === 0) return;
    this.sureMatches++;
    if (units.has(code)) this.equalCodes++;
    const known = this.unitsByCode.get(this.keyOf(city)) ?? { cities: 0, units: new Map<string, number>() };
    this.unitsByCode.set(this.keyOf(city), known);
    known.cities++;
    for (const unit of units) known.units.set(unit, (known.units.get(unit) ?? 0) + 1);
  }

  agreementOf(city: City, unit: string): Agreement {
    const code = this.codeOf(city);
    if (code === '' || unit === '') return 'unknown';
    if (this.sureMatches >= MIN_SURE_MATCHES && this.equalCodes >= AGREEING_SHARE * this.sureMatches) {
      if (code === unit) return 'same';
      // A code that the release lacks may be an older or newer one of the same unit.
      return this.releaseCodes.has(code) ? 'different' : 'unknown';
    }
    const known = this.unitsByCode.get(this.keyOf(city));
    if (known === undefined) return 'unknown';
    const here = known.units.get(unit) ?? 0;
    // One may be the city itself that is being asked about.
    if (here <= 1) return known.cities >= MIN_CITIES_OF_CODE ? 'different' : 'unknown';
    return here >= MIN_SHARE_OF_CODE * known.cities ? 'same' : 'unknown';
  }

  private codeOf({ adminCodes }: City): string {
    return adminCodes[this.level - 1] as string;
  }

  /** A code of level 2 may stand in several units of level 1. */
  private keyOf({ adminCodes }: City): string {
    return adminCodes.slice(0, this.level).join('.');
  }
}
