import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { type Amf, decodeAmf, encodeAmf } from '../rtmp/amf.ts'
import { ChunkReader, encodeChunks, type Message, sentChunkSize } from '../rtmp/chunks.ts'
import { answerPing } from '../rtmp/ping.ts'
import { RestreamFault } from './fault.ts'

export interface Published {
  app: string
  tcUrl: string
  key: string
}

const acceptMs = 10_000

/**
 * Maximum size in bytes of data that waits for a target. A target with more waiting data counts as too slow: 8 s at 8
 * Mb/s.
 */
const mostWaiting = 8 * 2 ** 20

const handshakeBytes = 1536

/** Maximum size in bytes of data that a target may send: at the start, and per second. */
const [mostAnswered, mostEachSecond] = [256 * 2 ** 10, 16 * 2 ** 10]

const [control, commands, media] = [2, 3, 4]

/** A stream that is published to a target over one connection (RTMP 1.0, 5.2 and 7.2). */
export class Publication {
  readonly #socket: Socket
  readonly #reader = new ChunkReader()
  readonly #accepted = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<RestreamFault>()
  readonly #to: Published
  #greeting: Buffer[] = []
  #greeted = 0
  #stream = 0
  #isAccepted = false
  #received = 0
  readonly #begunAt = performance.now()

  constructor(socket: Socket, to: Published) {
    this.#socket = socket
    this.#to = to
    this.#accepted.promise.catch(() => {})
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 10_000)
    socket.on('error', () => this.#fail('connection_failed'))
    socket.on('close', () => this.#fail(this.#isAccepted ? 'ended' : 'refused'))
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(handshakeBytes - 8)]))
  }

  get over(): Promise<RestreamFault> {
    return this.#over.promise
  }

  /** Waits until the target accepts the publisher. Throws a `RestreamFault` if the target does not accept it. */
  async accepted(): Promise<void> {
    const timer = setTimeout(() => this.#fail('timed_out'), acceptMs)
    await this.#accepted.promise.finally(() => clearTimeout(timer))
  }

  /** Sends a tag. Ends the publication if the target reads too slowly. */
  send(message: Message): void {
    if (this.#socket.destroyed) return
    if (this.#socket.writableLength > mostWaiting) this.#fail('too_slow')
    else this.#socket.write(encodeChunks(media, this.#stream, message))
  }

  /** Ends the stream. Closes the connection when all data is sent, at most two seconds later. */
  close(): void {
    if (this.#socket.destroyed) return
    if (this.#isAccepted) {
      this.#command(commands, 0, 'FCUnpublish', 6, null, this.#to.key)
      this.#command(commands, 0, 'deleteStream', 7, null, this.#stream)
    }
    this.#socket.end()
    setTimeout(() => this.#socket.destroy(), 2_000).unref()
  }

  #fail(reason: RestreamFault['reason']): void {
    const fault = new RestreamFault(reason)
    this.#accepted.reject(fault)
    this.#over.resolve(fault)
    this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#received += bytes.length
    const seconds = (performance.now() - this.#begunAt) / 1000
    try {
      if (this.#received > mostAnswered + seconds * mostEachSecond)
        throw new RangeError('The target sends too much data.')
      const rest = this.#greeted < 2 * handshakeBytes + 1 ? this.#greet(bytes) : bytes
      if (rest.length > 0) for (const message of this.#reader.push(rest)) this.#answer(message)
    } catch {
      this.#fail('protocol')
    }
  }

  /** Processes S0, S1 and S2. Returns the remaining bytes. */
  #greet(bytes: Buffer): Buffer {
    const wanted = 2 * handshakeBytes + 1 - this.#greeted
    this.#greeting.push(bytes.subarray(0, wanted))
    this.#greeted += Math.min(wanted, bytes.length)
    if (bytes.length >= wanted) {
      const whole = Buffer.concat(this.#greeting)
      this.#greeting = []
      if (whole[0] !== 3) throw new RangeError('The target does not use RTMP.')
      this.#socket.write(whole.subarray(1, 1 + handshakeBytes))
      this.#connect()
    }
    return bytes.subarray(wanted)
  }

  #connect(): void {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(sentChunkSize)
    this.#socket.write(encodeChunks(control, 0, { type: 1, time: 0, body: size }))
    const { app, tcUrl } = this.#to
    const about = { app, type: 'nonprivate', flashVer: 'FMLE/3.0 (compatible; Millrace)', tcUrl }
    this.#command(commands, 0, 'connect', 1, about)
  }

  #answer({ type, body }: Message): void {
    const pong = answerPing({ type, body })
    if (pong) this.#socket.write(pong)
    if (type !== 20) return
    const [name, number, , about] = decodeAmf(body)
    if (name === '_error' && (number === 1 || number === 4)) this.#fail('refused')
    else if (name === '_result' && number === 1) this.#create()
    else if (name === '_result' && number === 4) this.#publish(about)
    else if (name === 'onStatus') this.#status(about)
  }

  #create(): void {
    this.#command(commands, 0, 'releaseStream', 2, null, this.#to.key)
    this.#command(commands, 0, 'FCPublish', 3, null, this.#to.key)
    this.#command(commands, 0, 'createStream', 4, null)
  }

  #publish(stream: Amf | undefined): void {
    if (typeof stream !== 'number') throw new RangeError('The target has not created a stream.')
    this.#stream = stream
    this.#command(media, stream, 'publish', 5, null, this.#to.key, 'live')
  }

  #status(about: Amf | undefined): void {
    if (typeof about !== 'object' || about === null) return
    if (about.level === 'error') this.#fail(this.#isAccepted ? 'ended' : 'refused')
    else if (about.code === 'NetStream.Publish.Start') {
      this.#isAccepted = true
      this.#accepted.resolve()
    }
  }

  #command(chunkStream: number, stream: number, ...values: Amf[]): void {
    this.#socket.write(encodeChunks(chunkStream, stream, { type: 20, time: 0, body: encodeAmf(...values) }))
  }
}
