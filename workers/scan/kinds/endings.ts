import { Cursor, type Source } from '../source.ts'

/** Where the last byte of a picture is followed by something else, by the rules of its format; null where the format does not say. */
export async function endOf(type: string, source: Source): Promise<number | null> {
  if (type === 'image/png') return await endOfPng(source)
  if (type === 'image/jpeg') return await endOfJpeg(source)
  if (type === 'image/gif') return await endOfGif(source)
  const head = await source.read(0, 12)
  if (type === 'image/bmp') return head.readUInt32LE(2)
  return head.toString('latin1', 0, 4) === 'RIFF' ? head.readUInt32LE(4) + 8 : null
}

/** Behind the chunk IEND (PNG, 11.2.5). */
async function endOfPng(source: Source): Promise<number | null> {
  const cursor = new Cursor(source, 8)
  for (;;) {
    const chunk = await cursor.peek(8)
    if (chunk.length < 8) return null
    cursor.at += 12 + chunk.readUInt32BE(0)
    if (chunk.toString('latin1', 4, 8) === 'IEND') return cursor.at
  }
}

/** Behind the marker EOI (ITU-T T.81, Annex B), past the segments and the packed pictures between. */
async function endOfJpeg(source: Source): Promise<number | null> {
  const cursor = new Cursor(source, 2)
  for (;;) {
    const marker = await nextMarker(cursor)
    if (marker === null) return null
    if (marker === 0xd9) return cursor.at
    if (isAlone(marker)) continue
    const length = await cursor.peek(2)
    if (length.length < 2) return null
    cursor.at += Math.max(2, length.readUInt16BE(0))
  }
}

/** RSTn and TEM, and the 0 that follows a byte 0xFF of a packed picture; every other marker has a length behind it. */
const isAlone = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01 || marker === 0

/** Moves behind the next marker, of whose fill bytes (0xFF) there may be any number. */
async function nextMarker(cursor: Cursor): Promise<number | null> {
  for (;;) {
    const window = await cursor.peek(32 * 1024)
    const first = window.indexOf(0xff)
    const at = first === -1 ? -1 : window.findIndex((byte, index) => index > first && byte !== 0xff)
    const marker = at === -1 ? undefined : window[at]
    if (marker !== undefined) {
      cursor.at += at + 1
      return marker
    }
    if (window.length < 2) return null
    // The last byte is seen again where it may be the first half of a marker.
    cursor.at += first === -1 ? window.length : window.length - 1
  }
}

/** Behind the trailer 0x3B (GIF89a, 27). */
async function endOfGif(source: Source): Promise<number | null> {
  const cursor = new Cursor(source, 13 + paletteSize((await source.read(10, 11))[0] ?? 0))
  for (;;) {
    const [kind] = await cursor.take(1)
    if (kind === 0x3b) return cursor.at
    if (kind === 0x21) cursor.at += 1
    else if (kind === 0x2c) cursor.at += 10 + paletteSize((await cursor.peek(9))[8] ?? 0)
    else return null
    await skipBlocks(cursor)
  }
}

const paletteSize = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

async function skipBlocks(cursor: Cursor): Promise<void> {
  for (;;) {
    const [length = 0] = await cursor.take(1)
    if (length === 0) return
    cursor.at += length
  }
}
