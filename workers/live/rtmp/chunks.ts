/** RTMP message (RTMP 1.0, 5.3): a command, or a tag of an FLV file. */
export interface Message {
  /** Message type. 8: audio; 9: video; 18: metadata; 20: command. */
  type: number
  /** Timestamp in milliseconds, 32 bits. */
  time: number
  body: Buffer
}

/** Size in bytes of chunks to send. The peer is informed of this size. */
export const sentChunkSize = 60_000

/** Default maximum size in bytes of a message from a peer. Responses to commands are smaller. */
const fewBytes = 64 * 2 ** 10

const mostStreams = 16

const extended = 0xffffff

/**
 * Returns a message as chunks (RTMP 1.0, 5.3.1). The first chunk has a complete header. The others only have an
 * extended timestamp, if needed.
 */
export function encodeChunks(chunkStream: number, stream: number, { type, time, body }: Message): Buffer {
  const isExtended = time >= extended
  const long = Buffer.alloc(isExtended ? 4 : 0)
  if (isExtended) long.writeUInt32BE(time)
  const head = Buffer.alloc(12)
  head[0] = chunkStream
  head.writeUIntBE(isExtended ? extended : time, 1, 3)
  head.writeUIntBE(body.length, 4, 3)
  head[7] = type
  head.writeUInt32LE(stream, 8)
  const pieces: Buffer[] = [head, long, body.subarray(0, sentChunkSize)]
  const next = Buffer.from([0xc0 | chunkStream])
  for (let at = sentChunkSize; at < body.length; at += sentChunkSize)
    pieces.push(next, long, body.subarray(at, at + sentChunkSize))
  return Buffer.concat(pieces)
}

interface ChunkStream {
  length: number
  type: number
  isExtended: boolean
  time: number
  received: Buffer[]
  bytes: number
}

interface BasicHeader {
  id: number
  bytes: number
  /** Size in bytes of the following message header. */
  headBytes: number
}

/** Returns the chunk stream of a chunk (RTMP 1.0, 5.3.1.1), or undefined if its headers are incomplete. */
function basicHeaderOf(rest: Buffer): BasicHeader | undefined {
  const first = rest[0]
  if (first === undefined) return undefined
  const low = first & 63
  const bytes = low < 2 ? 2 + low : 1
  const headBytes = [11, 7, 3, 0][first >> 6] ?? 0
  if (rest.length < bytes + headBytes) return undefined
  const id = low === 0 ? 64 + (rest[1] ?? 0) : low === 1 ? 64 + rest.readUInt16LE(1) : low
  return { id, bytes, headBytes }
}

/** Returns the header of a chunk. Missing fields keep their previous values (5.3.1.2). */
function headerOf(rest: Buffer, { bytes, headBytes }: BasicHeader, { length, type, isExtended }: ChunkStream) {
  return {
    isExtended: headBytes >= 3 ? rest.readUIntBE(bytes, 3) === extended : isExtended,
    length: headBytes >= 7 ? rest.readUIntBE(bytes + 3, 3) : length,
    type: headBytes >= 7 ? (rest[bytes + 6] ?? 0) : type,
  }
}

/**
 * Returns the time of a message from its first chunk: absolute, or relative to the previous message. If the chunk has
 * no time, the time is unchanged, as nginx sends it.
 */
function timeOf(rest: Buffer, { bytes, headBytes }: BasicHeader, isExtended: boolean, before: number): number {
  if (headBytes < 3) return before
  const told = isExtended ? rest.readUInt32BE(bytes + headBytes) : rest.readUIntBE(bytes, 3)
  return headBytes === 11 ? told : (before + told) >>> 0
}

/** Joins the chunks of a peer to messages. Throws for invalid bytes and for too many bytes. */
export class ChunkReader {
  #rest: Buffer = Buffer.alloc(0)
  #size = 128
  readonly #streams = new Map<number, ChunkStream>()
  readonly #mostBytes: number

  constructor(mostBytes = fewBytes) {
    this.#mostBytes = mostBytes
  }

  push(bytes: Buffer): Message[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const whole: Message[] = []
    for (;;) {
      const used = this.#chunk(whole)
      if (used === 0) return whole
      this.#rest = this.#rest.subarray(used)
    }
  }

  /** Reads one chunk. Returns its size in bytes, or 0 if it is incomplete. */
  #chunk(whole: Message[]): number {
    const rest = this.#rest
    const basic = basicHeaderOf(rest)
    if (!basic) return 0
    const known = this.#streams.get(basic.id)
    const stream = known ?? { length: 0, type: 0, isExtended: false, time: 0, received: [], bytes: 0 }
    const { length, type, isExtended } = headerOf(rest, basic, stream)
    if (length > this.#mostBytes) throw new RangeError('An RTMP message is too long.')
    const begins = basic.bytes + basic.headBytes + (isExtended ? 4 : 0)
    const piece = Math.min(this.#size, length - stream.bytes)
    if (piece < 0) throw new RangeError('An RTMP message changes its length.')
    if (rest.length < begins + piece) return 0
    const isFirst = stream.bytes === 0
    if (!known && this.#streams.size >= mostStreams) throw new RangeError('The connection has too many chunk streams.')
    this.#streams.set(basic.id, stream)
    if (isFirst) stream.time = timeOf(rest, basic, isExtended, stream.time)
    Object.assign(stream, { length, type, isExtended })
    stream.received.push(Buffer.from(rest.subarray(begins, begins + piece)))
    stream.bytes += piece
    if (stream.bytes === length) this.#complete(stream, whole)
    return begins + piece
  }

  #complete(stream: ChunkStream, whole: Message[]): void {
    const body = Buffer.concat(stream.received)
    Object.assign(stream, { received: [], bytes: 0 })
    if (stream.type === 1 && body.length >= 4) {
      const size = body.readUInt32BE()
      if (size < 1) throw new RangeError('An RTMP chunk must have at least one byte.')
      this.#size = size
      return
    }
    whole.push({ type: stream.type, time: stream.time, body })
  }
}
