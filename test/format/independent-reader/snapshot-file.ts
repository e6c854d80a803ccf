/**
 * The container half of a second reader of snapshots: header, manifest, sections, slices and array bundles. No file of
 * this reader imports anything of src: where it and the program part ways, the tests in this folder fail. The reader looks at every byte of the file, so opening takes
 * time in the file's length, and throws where a MUST of docs/contributing/snapshot-format.md is broken.
 */
import { createHash } from 'node:crypto';

/** The sections in the order of the document's table, which is also that of a country's slices. */
export const COUNTRY_SECTIONS = [
  ...['place-answers', 'place-tree', 'path-trie', 'id-index', 'postcode-index', 'place-orders', 'point-index'],
  ...['place-positions', 'name-index', 'place-contexts', 'old-paths', 'place-facts'],
];
export const WORLD_SECTIONS = ['country-answers', 'country-grid', 'world-name-index', 'world-postcodes'];

const PAGE_BYTES = 4096;
const SLICE_ALIGNMENT = 64;

export interface FileSection {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

export interface FileCountry {
  readonly code: string;
  readonly name: string;
  readonly slug: string;
  readonly alpha3: string;
  readonly population: number;
  readonly givenFormat: string | null;
  readonly centre: { readonly latitude: number; readonly longitude: number } | undefined;
  readonly distinctPostcodes: number;
  readonly levelCounts: readonly number[];
  readonly slices: readonly Buffer[];
}

export interface SnapshotFile {
  readonly id: string;
  readonly release: string;
  readonly sourceDate: string | undefined;
  readonly siteUrl: string;
  readonly previousRelease: string | undefined;
  readonly builderVersion: string | undefined;
  readonly foldingVersion: number;
  readonly countries: readonly FileCountry[];
  readonly sections: readonly FileSection[];
  /** The bytes of the four world sections. */
  readonly world: readonly Buffer[];
}

export function must(isTrue: boolean, rule: string): asserts isTrue {
  if (!isTrue) throw new Error(`not a snapshot of version 9: ${rule}`);
}

const u64 = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
const alignUp = (position: number, alignment: number): number => Math.ceil(position / alignment) * alignment;
const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder;
});

export function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] as number);
  return (crc ^ 0xffffffff) >>> 0;
}

export function openSnapshotFile(file: Buffer): SnapshotFile {
  must(file.length >= PAGE_BYTES, 'a header');
  must(file.subarray(0, 8).toString('hex') === '895050530d0a1a0a', 'magic');
  must(file.readUInt32LE(8) === 9 && file.readUInt32LE(12) === 0, 'version, and zero behind it');
  must(file.readUInt32LE(44) === crc32(file.subarray(0, 44)), "the header's checksum");
  must(isZero(file.subarray(48, PAGE_BYTES)), 'zeros behind the header');
  const [fileLength, manifestOffset, manifestLength] = [u64(file, 16), u64(file, 24), u64(file, 32)];
  must(fileLength === file.length && manifestOffset + manifestLength === fileLength, 'lengths');
  const manifestBytes = file.subarray(manifestOffset);
  must(file.readUInt32LE(40) === crc32(manifestBytes), "the manifest's checksum");
  must(manifestBytes.toString('latin1', 4, 8) === 'PPMF', "the manifest's identifier");

  const root = tableAt(manifestBytes, manifestBytes.readUInt32LE(0));
  const sections = root.tables(5).map(
    (section): FileSection => ({
      name: section.text(0) ?? '',
      offset: section.u64(1),
      length: section.u64(2),
      checksum: section.u32(3),
    }),
  );
  const sectionBytes = readSections(file, sections, manifestOffset);
  return {
    id: createHash('sha256').update(manifestBytes).digest('hex').slice(0, 16),
    release: root.required(0),
    sourceDate: root.text(1),
    siteUrl: root.required(2),
    previousRelease: root.text(6),
    builderVersion: root.text(7),
    foldingVersion: root.u32(3),
    countries: readCountries(root.tables(4), sectionBytes.slice(0, COUNTRY_SECTIONS.length)),
    sections,
    world: sectionBytes.slice(COUNTRY_SECTIONS.length),
  };
}

/** The bytes of each section: in order, each where the page boundary puts it, zeros between, checksums right. */
function readSections(file: Buffer, sections: readonly FileSection[], manifestOffset: number): Buffer[] {
  const names = [...COUNTRY_SECTIONS, ...WORLD_SECTIONS];
  must(sections.map(({ name }) => name).join() === names.join(), 'fifteen sections in order');
  let end = PAGE_BYTES;
  const skipZerosTo = (offset: number): void => {
    must(offset === alignUp(end, PAGE_BYTES) && isZero(file.subarray(end, offset)), 'zeros up to a page boundary');
  };
  const parts = sections.map(({ name, offset, length, checksum }) => {
    skipZerosTo(offset);
    end = offset + length;
    must(end <= manifestOffset, `${name} ends before the manifest`);
    const bytes = file.subarray(offset, end);
    must(crc32(bytes) === checksum, `the checksum of ${name}`);
    return bytes;
  });
  skipZerosTo(manifestOffset);
  return parts;
}

function readCountries(tables: readonly Table[], sections: readonly Buffer[]): FileCountry[] {
  const ends = sections.map(() => 0);
  const sliceOf = (section: number, offset: number, length: number): Buffer => {
    const [bytes, end] = [sections[section] as Buffer, ends[section] as number];
    must(offset === alignUp(end, SLICE_ALIGNMENT), 'a slice starts where the one before and 64 put it');
    must(isZero(bytes.subarray(end, offset)) && offset + length <= bytes.length, 'zeros between slices, all within');
    ends[section] = offset + length;
    return bytes.subarray(offset, offset + length);
  };
  const countries = tables.map((table): FileCountry => {
    const levelCounts = table.vector(5, 4, (bytes, at) => bytes.readUInt32LE(at));
    const slices = table.vector(6, 16, (bytes, at) => [u64(bytes, at), u64(bytes, at + 8)] as const);
    must(
      levelCounts.length === 4 && (slices.length === 0 || slices.length === 12),
      'four levels, twelve slices or none',
    );
    const centre = table.fieldAt(3);
    return {
      code: table.required(0),
      name: table.required(1),
      slug: table.required(2),
      alpha3: table.required(7),
      population: table.u32(8),
      givenFormat: table.text(9) ?? null,
      centre:
        centre === undefined
          ? undefined
          : { latitude: table.bytes.readDoubleLE(centre), longitude: table.bytes.readDoubleLE(centre + 8) },
      distinctPostcodes: table.u32(4),
      levelCounts,
      slices: slices.map(([offset, length], section) => sliceOf(section, offset, length)),
    };
  });
  must(
    sections.every(({ length }, section) => length === ends[section]),
    'a section ends with its last slice',
  );
  const codes = countries.map(({ code }) => code);
  must(
    countries.every(({ alpha3 }) => /^[A-Z]{3}$/.test(alpha3)),
    'three-letter codes',
  );
  must(
    codes.every((code, number) => /^[A-Z]{2}$/.test(code) && (number === 0 || code > (codes[number - 1] as string))),
    'countries ascend by two letters',
  );
  return countries;
}

type Table = ReturnType<typeof tableAt>;

/** A table of FlatBuffers: a signed offset back to its vtable, then the fields where the vtable says. */
function tableAt(bytes: Buffer, position: number) {
  const vtable = position - bytes.readInt32LE(position);
  /** Where a field lies; undefined if it is absent. */
  const fieldAt = (slot: number): number | undefined => {
    const entry = 4 + 2 * slot;
    const offset = entry < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + entry) : 0;
    return offset === 0 ? undefined : position + offset;
  };
  const scalar = (slot: number, read: (at: number) => number): number => {
    const at = fieldAt(slot);
    return at === undefined ? 0 : read(at);
  };
  /** The elements of a vector, which the field points to from where it lies. */
  const vector = <T>(slot: number, stride: number, read: (bytes: Buffer, at: number) => T): T[] => {
    const at = fieldAt(slot);
    must(at !== undefined, 'required vectors');
    const start = at + bytes.readUInt32LE(at);
    return Array.from({ length: bytes.readUInt32LE(start) }, (_, i) => read(bytes, start + 4 + stride * i));
  };
  const text = (slot: number): string | undefined =>
    fieldAt(slot) === undefined
      ? undefined
      : Buffer.from(vector(slot, 1, (_, at) => bytes.readUInt8(at))).toString('utf8');
  return {
    bytes,
    fieldAt,
    vector,
    text,
    u32: (slot: number): number => scalar(slot, (at) => bytes.readUInt32LE(at)),
    u64: (slot: number): number => scalar(slot, (at) => u64(bytes, at)),
    required(slot: number): string {
      const value = text(slot);
      must(value !== undefined && value !== '', 'required texts');
      return value;
    },
    tables: (slot: number) => vector(slot, 4, (_, at): Table => tableAt(bytes, at + bytes.readUInt32LE(at))),
  };
}

/** One array of a bundle. */
export interface Column {
  readonly length: number;
  readonly bytes: Buffer;
  at(index: number): number;
}

const READERS = {
  u8: { stride: 1, read: (bytes: Buffer, at: number) => bytes.readUInt8(at) },
  u16: { stride: 2, read: (bytes: Buffer, at: number) => bytes.readUInt16LE(at) },
  u32: { stride: 4, read: (bytes: Buffer, at: number) => bytes.readUInt32LE(at) },
  i32: { stride: 4, read: (bytes: Buffer, at: number) => bytes.readInt32LE(at) },
  f64: { stride: 8, read: (bytes: Buffer, at: number) => bytes.readDoubleLE(at) },
};
export type ElementType = keyof typeof READERS;

/** The arrays of a bundle by name; `types` names them in their order. */
export function readBundle<Name extends string>(
  bundle: Buffer,
  types: Readonly<Record<Name, ElementType>>,
): Record<Name, Column> {
  const entries = Object.entries<ElementType>(types);
  must(bundle.readUInt32LE(0) === entries.length && bundle.readUInt32LE(4) === 0, 'the number of arrays');
  let start = 8 + 8 * entries.length;
  const columns = entries.map(([name, type], number): [string, Column] => {
    const { stride, read } = READERS[type];
    const length = u64(bundle, 8 + 8 * number);
    const [end, next] = [start + length, alignUp(start + length, 8)];
    must(length % stride === 0 && next <= bundle.length, 'whole elements, within the bundle');
    must(isZero(bundle.subarray(end, next)), 'zeros behind an array');
    const bytes = bundle.subarray(start, end);
    start = next;
    return [name, { length: length / stride, bytes, at: (index) => read(bytes, index * stride) }];
  });
  must(start === bundle.length, "the bundle's length");
  return Object.fromEntries(columns) as Record<Name, Column>;
}
