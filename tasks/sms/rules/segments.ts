/** Basic character set of GSM 03.38. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)

/** Characters of the extension table. Each needs an escape, so it takes two septets. */
const extended = new Set('\f^{}\\[~]|€')

/** Characters per message and per part of a long message. A part has a header of 6 bytes (3GPP TS 23.040). */
const limits = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

/** Maximum number of segments of one message. */
export const maxSegments = 10

export interface Segmented {
  encoding: 'gsm7' | 'ucs2'
  /** Number of parts in which the text is sent and billed. */
  segments: number
}

/** Returns the encoding of a text and the number of its segments. An escape sequence or a pair is never divided. */
export function countSegments(text: string): Segmented {
  const characters = [...text]
  const isGsm = characters.every(
    (character) => (basic.has(character) && character !== '\u001b') || extended.has(character),
  )
  const encoding = isGsm ? 'gsm7' : 'ucs2'
  const widths = characters.map((character) => (isGsm ? (extended.has(character) ? 2 : 1) : character.length))
  const { single, part } = limits[encoding]
  const total = widths.reduce((sum, width) => sum + width, 0)
  if (total <= single) return { encoding, segments: 1 }
  let [segments, used] = [1, 0]
  for (const width of widths) {
    if (used + width > part) [segments, used] = [segments + 1, 0]
    used += width
  }
  return { encoding, segments }
}
