/** G.711: 16-bit samples as one byte each. The numbers of the formats are the payload types of RFC 3551. */
export const formats = { 8: encodeALaw, 0: encodeMuLaw } as const

export type Format = keyof typeof formats

/** Bytes of silence. */
export const silence: Readonly<Record<Format, number>> = { 8: 0xd5, 0: 0xff }

function encodeALaw(sample: number): number {
  const mask = sample >= 0 ? 0xd5 : 0x55
  const size = Math.min(32_767, sample >= 0 ? sample : -sample - 1) >> 3
  let exponent = 7
  while (exponent > 0 && size < 1 << (exponent + 4)) exponent--
  const mantissa = exponent === 0 ? size >> 1 : (size >> exponent) & 0x0f
  return ((exponent << 4) | mantissa) ^ mask
}

function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const size = Math.min(32_635, Math.abs(sample)) + 132
  let exponent = 7
  while (exponent > 0 && (size & (1 << (exponent + 7))) === 0) exponent--
  return ~(sign | (exponent << 4) | ((size >> (exponent + 3)) & 0x0f)) & 0xff
}
