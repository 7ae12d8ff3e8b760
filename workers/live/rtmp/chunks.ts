/** A message of RTMP (RTMP 1.0, 5.3): commands, and the tags of an FLV file. */
export interface Message {
  /** 8: sound; 9: pictures; 18: metadata; 20: a command. */
  type: number
  /** Milliseconds; of 32 bits. */
  time: number
  body: Buffer
}

/** Bytes of a chunk that is sent, which the peer is told. */
export const sentChunkSize = 60_000

/** Bytes of a message that a peer may send, unless said: one that answers commands sends no more. */
const fewBytes = 64 * 2 ** 10

/** Chunk streams of a peer at once. */
const mostStreams = 16

const extended = 0xffffff

/** A message as chunks (RTMP 1.0, 5.3.1): the first with a whole header, the others with none but an extended timestamp. */
export function chunksOf(chunkStream: number, stream: number, { type, time, body }: Message): Buffer {
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

/** What is known of a chunk stream of the peer's. */
interface ChunkStream {
  length: number
  type: number
  isExtended: boolean
  /** Milliseconds; of 32 bits. */
  time: number
  received: Buffer[]
  bytes: number
}

interface BasicHeader {
  id: number
  bytes: number
  /** Bytes of the message header that follows. */
  headBytes: number
}

/** The chunk stream of a chunk (RTMP 1.0, 5.3.1.1); undefined when its headers are not whole yet. */
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

/** What a chunk says of its message, and what it leaves as it was (5.3.1.2). */
function headerOf(rest: Buffer, { bytes, headBytes }: BasicHeader, { length, type, isExtended }: ChunkStream) {
  return {
    isExtended: headBytes >= 3 ? rest.readUIntBE(bytes, 3) === extended : isExtended,
    length: headBytes >= 7 ? rest.readUIntBE(bytes + 3, 3) : length,
    type: headBytes >= 7 ? (rest[bytes + 6] ?? 0) : type,
  }
}

/**
 * When a message was sent, as its first chunk tells it: the time itself, or what has passed since the message before. Without either it is the
 * same time, as nginx writes it.
 */
function timeOf(rest: Buffer, { bytes, headBytes }: BasicHeader, isExtended: boolean, before: number): number {
  if (headBytes < 3) return before
  const told = isExtended ? rest.readUInt32BE(bytes + headBytes) : rest.readUIntBE(bytes, 3)
  return headBytes === 11 ? told : (before + told) >>> 0
}

/** Puts a peer's messages together from their chunks; throws for bytes that are none, or too many. */
export class ChunkReader {
  #rest: Buffer = Buffer.alloc(0)
  #size = 128
  readonly #streams = new Map<number, ChunkStream>()
  readonly #mostBytes: number

  constructor(mostBytes = fewBytes) {
    this.#mostBytes = mostBytes
  }

  /** The messages that are whole with these bytes. */
  push(bytes: Buffer): Message[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const whole: Message[] = []
    for (;;) {
      const used = this.#chunk(whole)
      if (used === 0) return whole
      this.#rest = this.#rest.subarray(used)
    }
  }

  /** Reads one chunk; the bytes that it took, 0 when it is not whole yet. */
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
