/**
 * Memory that begins on a page. What malloc gives for a large buffer lies 16 bytes behind the start of a page, and to read
 * a file from the system's cache into such a buffer takes an AMD EPYC five times as long.
 */

/** `length` bytes of zeros. */
export function allocatePageAligned(length: number): Uint8Array {
  // A buffer that may grow is what V8 takes from the system itself, page by page, in every version of Node. This one does
  // not grow; the types that we compile with do not know the option.
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [length, { maxByteLength: length }]);
  return new Uint8Array(buffer, 0, length);
}
