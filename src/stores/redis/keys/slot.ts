const SLOTS = 16_384
const CRC16_POLYNOMIAL = 0x1021

/**
 * The cluster slot of a key or channel, by Redis's own rule: the text between the first `{` and the first `}` after it, if
 * there is any, else the whole. Client libraries differ when the first braces are empty.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{')
  const close = open < 0 ? -1 : key.indexOf('}', open + 1)
  return crc16(Buffer.from(close > open + 1 ? key.slice(open + 1, close) : key)) % SLOTS
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) {
      crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC16_POLYNOMIAL) & 0xffff
    }
  }
  return crc
}
