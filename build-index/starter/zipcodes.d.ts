/** The part of the untyped package `zipcodes` that the starter dataset reads: one record for each code. */
declare module 'zipcodes' {
  interface ZipcodeRecord {
    zip: string;
    /** Null in the Canadian rows whose columns the package has shifted. */
    latitude: number | null;
    longitude: number | null;
    city: string;
    /** The abbreviation in the United States, the full name in Canada. */
    state: string;
    country: 'US' | 'Canada';
  }
  const zipcodes: { codes: Record<string, ZipcodeRecord> };
  export default zipcodes;
}
