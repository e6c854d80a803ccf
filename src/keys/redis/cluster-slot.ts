/**
 * The slot of a Redis Cluster that a hash tag belongs to: CRC-16 of its bytes modulo 16,384. The CRC is XMODEM's:
 * polynomial 0x1021, initial value 0, nothing reflected. Source: the Redis Cluster specification, appendix A.
 * Example: `123456789` has the CRC 0x31c3, which is also its slot, 12739.
 */
export function slotOf(hashTag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc % 16_384;
}
