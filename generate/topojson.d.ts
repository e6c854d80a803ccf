/** The parts of TopoJSON's packages, which have no types of their own, that generate/outlines.ts and map-features.ts use. */
type Point = readonly [longitude: number, latitude: number];
type Ring = readonly Point[];

interface Topology {
  readonly objects: Readonly<Record<string, { readonly type: string }>>;
}

declare module 'topojson-client' {
  export interface CountryFeature {
    /** Numeric code of ISO 3166-1; undefined where there is none. */
    readonly id: string | undefined;
    readonly properties: { readonly name: string };
    readonly geometry:
      | { readonly type: 'Polygon'; readonly coordinates: readonly Ring[] }
      | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] };
  }
  export interface MapFeature {
    readonly properties: { readonly rank?: number };
    readonly geometry:
      | CountryFeature['geometry']
      | { readonly type: 'LineString'; readonly coordinates: Ring }
      | { readonly type: 'MultiLineString'; readonly coordinates: readonly Ring[] }
      | null;
  }
  export function feature(topology: Topology, object: unknown): { readonly features: readonly unknown[] };
}

declare module 'topojson-simplify' {
  export function presimplify(
    topology: Topology,
    weight: (triangle: readonly [Point, Point, Point]) => number,
  ): Topology;
  export function simplify(topology: Topology, minWeight: number): Topology;
}
