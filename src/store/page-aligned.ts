/**
 * Page-aligned memory. A large buffer from malloc starts 16 bytes after the start of a page. Reading a file from the
 * page cache into such a buffer takes five times as long on an AMD EPYC.
 */

/** `length` bytes of zeros. */
export function allocatePageAligned(length: number): Uint8Array {
  // V8 allocates a resizable buffer from the system directly, in pages. This buffer never grows. The compiler's types
  // lack the option, hence Reflect.construct.
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [length, { maxByteLength: length }]);
  return new Uint8Array(buffer, 0, length);
}
