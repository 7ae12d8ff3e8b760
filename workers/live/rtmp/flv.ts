import type { Message } from './chunks.ts'

/** Maximum size of a tag in bytes. It is equal to nginx's maximum message size. */
export const maxTagBytes = 4 * 2 ** 20

/** Size in bytes of the file header, which includes the size field before the first tag, and of a tag header. */
const [fileHeader, tagHeader] = [13, 11]

/**
 * Reads the tags of an FLV file while the file arrives (Video File Format Specification 10.1, E.4.1). Throws if a tag
 * is too long.
 */
export async function* readTags(bytes: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  let rest: Buffer = Buffer.alloc(0)
  let before = fileHeader
  for await (const more of bytes) {
    rest = rest.length === 0 ? more : Buffer.concat([rest, more])
    for (let tag = tagIn(rest, before); tag; tag = tagIn(rest, before)) {
      rest = rest.subarray(before + tagHeader + tag.body.length)
      before = 4
      yield tag
    }
  }
}

function tagIn(rest: Buffer, before: number): Message | undefined {
  if (rest.length < before + tagHeader) return undefined
  const head = rest.subarray(before, before + tagHeader)
  const length = head.readUIntBE(1, 3)
  if (length > maxTagBytes) throw new RangeError('An FLV tag is too long.')
  const begins = before + tagHeader
  if (rest.length < begins + length) return undefined
  const time = (head.readUIntBE(4, 3) + (head[7] ?? 0) * 2 ** 24) >>> 0
  return { type: (head[0] ?? 0) & 31, time, body: Buffer.from(rest.subarray(begins, begins + length)) }
}

export const [sound, pictures, metadata] = [8, 9, 18]

/** Returns the header of an FLV file with these tracks (E.2). */
export const encodeFlvHeader = (kinds: { has(kind: 'video' | 'audio'): boolean }): Buffer =>
  Buffer.from([
    0x46,
    0x4c,
    0x56,
    1,
    (kinds.has('audio') ? 4 : 0) | (kinds.has('video') ? 1 : 0),
    0,
    0,
    0,
    9,
    0,
    0,
    0,
    0,
  ])

export function encodeTag({ type, time, body }: Message): Buffer {
  const head = Buffer.alloc(tagHeader)
  head[0] = type
  head.writeUIntBE(body.length, 1, 3)
  head.writeUIntBE(time & 0xffffff, 4, 3)
  head[7] = time >>> 24
  const size = Buffer.alloc(4)
  size.writeUInt32BE(tagHeader + body.length)
  return Buffer.concat([head, body, size])
}

export type TagKind = 'metadata' | 'video header' | 'audio header' | 'key frame' | 'picture' | 'sound' | 'other'

/** Returns the kind of a tag (E.4.2, E.4.3). */
export function getTagKind({ type, body }: Message): TagKind {
  const [first = 0, second] = body
  if (type === metadata) return 'metadata'
  if (type === sound) return first >> 4 === 10 && second === 0 ? 'audio header' : 'sound'
  if (type !== pictures) return 'other'
  // This is enhanced RTMP with other codecs, or the end of a sequence.
  if ((first & 128) !== 0 || ((first & 15) === 7 && second === 2)) return 'other'
  if ((first & 15) === 7 && second === 0) return 'video header'
  return first >> 4 === 1 ? 'key frame' : 'picture'
}
