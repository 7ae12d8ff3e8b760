import type { Message } from './chunks.ts'

/** Bytes of a tag: what nginx takes of a message at most. */
export const mostBytes = 4 * 2 ** 20

/** Bytes of the file's header with the size of the tag before the first, and of a tag's header. */
const [fileHeader, tagHeader] = [13, 11]

/** Reads the tags of an FLV file while it comes (Video File Format Specification 10.1, E.4.1); throws for one that is too long. */
export async function* tagsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  let rest: Buffer = Buffer.alloc(0)
  let before = fileHeader
  for await (const more of bytes) {
    rest = rest.length === 0 ? more : Buffer.concat([rest, more])
    for (let tag = tagIn(rest, before); tag; tag = tagIn(rest, before)) {
      rest = rest.subarray(before + tagHeader + tag.body.length)
      // The size of this one stands before the next.
      before = 4
      yield tag
    }
  }
}

/** The first tag behind some bytes; undefined when it is not whole yet. */
function tagIn(rest: Buffer, before: number): Message | undefined {
  if (rest.length < before + tagHeader) return undefined
  const head = rest.subarray(before, before + tagHeader)
  const length = head.readUIntBE(1, 3)
  if (length > mostBytes) throw new RangeError('An FLV tag is too long.')
  const begins = before + tagHeader
  if (rest.length < begins + length) return undefined
  const time = (head.readUIntBE(4, 3) + (head[7] ?? 0) * 2 ** 24) >>> 0
  return { type: (head[0] ?? 0) & 31, time, body: Buffer.from(rest.subarray(begins, begins + length)) }
}

export const [sound, pictures, metadata] = [8, 9, 18]

/** The beginning of an FLV file with tracks of these kinds (E.2). */
export const headOf = (kinds: { has(kind: 'video' | 'audio'): boolean }): Buffer =>
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

/** A tag as it stands in an FLV file, its size behind it. */
export function bytesOf({ type, time, body }: Message): Buffer {
  const head = Buffer.alloc(tagHeader)
  head[0] = type
  head.writeUIntBE(body.length, 1, 3)
  head.writeUIntBE(time & 0xffffff, 4, 3)
  head[7] = time >>> 24
  const size = Buffer.alloc(4)
  size.writeUInt32BE(tagHeader + body.length)
  return Buffer.concat([head, body, size])
}

/** What a tag is to somebody who joins: metadata or a decoder's configuration, a picture to begin with, or what follows one. */
export type TagKind = 'metadata' | 'video header' | 'audio header' | 'key frame' | 'picture' | 'sound' | 'other'

/** The kind of a tag (E.4.2, E.4.3). */
export function kindOf({ type, body }: Message): TagKind {
  const [first = 0, second] = body
  if (type === metadata) return 'metadata'
  if (type === sound) return first >> 4 === 10 && second === 0 ? 'audio header' : 'sound'
  if (type !== pictures) return 'other'
  // What enhanced RTMP has other codecs in, and the end of a sequence.
  if ((first & 128) !== 0 || ((first & 15) === 7 && second === 2)) return 'other'
  if ((first & 15) === 7 && second === 0) return 'video header'
  return first >> 4 === 1 ? 'key frame' : 'picture'
}
