import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Amf, decodeAmf, encodeAmf } from './amf.ts'
import { ChunkReader, encodeChunks, type Message, sentChunkSize } from './chunks.ts'
import { maxTagBytes, metadata, pictures, sound } from './flv.ts'
import { answerPing } from './ping.ts'

const acceptMs = 5_000

const handshakeBytes = 1536

const [control, commands] = [2, 3]

/**
 * Plays a stream of an RTMP server on this host (RTMP 1.0, 5.2 and 7.2). Yields its tags until the publisher
 * disconnects. Throws if the stream cannot be played.
 */
export async function* playTags(address: string, signal: AbortSignal): AsyncGenerator<Message> {
  const url = new URL(address)
  const socket = connect({ host: url.hostname, port: Number(url.port), signal, noDelay: true })
  socket.on('error', () => {})
  const timer = setTimeout(() => socket.destroy(new Error('The RTMP server did not respond.')), acceptMs)
  try {
    await once(socket, 'connect')
    const player = new Player(socket, url)
    for await (const bytes of socket) {
      const tags = player.receive(bytes as Buffer)
      if (player.isPlaying) clearTimeout(timer)
      yield* tags
      if (player.isOver) return
    }
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

class Player {
  isPlaying = false
  isOver = false
  readonly #socket: Socket
  readonly #reader = new ChunkReader(maxTagBytes)
  readonly #app: string
  readonly #name: string
  readonly #tcUrl: string
  #greeting: Buffer | undefined = Buffer.alloc(0)

  constructor(socket: Socket, { host, pathname, search }: URL) {
    const [, app = '', ...name] = pathname.split('/')
    this.#socket = socket
    this.#app = app
    this.#name = name.join('/') + search
    this.#tcUrl = `rtmp://${host}/${app}`
    socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(handshakeBytes - 8)]))
  }

  receive(bytes: Buffer): Message[] {
    const rest = this.#greeting ? this.#greet(this.#greeting, bytes) : bytes
    if (rest.length === 0) return []
    return this.#reader.push(rest).filter((message) => {
      if (message.type === sound || message.type === pictures || message.type === metadata) return true
      this.#answer(message)
      return false
    })
  }

  #greet(before: Buffer, bytes: Buffer): Buffer {
    const whole = Buffer.concat([before, bytes])
    const length = 1 + 2 * handshakeBytes
    this.#greeting = whole.length < length ? whole : undefined
    if (this.#greeting) return Buffer.alloc(0)
    this.#socket.write(whole.subarray(1, 1 + handshakeBytes))
    const size = Buffer.alloc(4)
    size.writeUInt32BE(sentChunkSize)
    this.#socket.write(encodeChunks(control, 0, { type: 1, time: 0, body: size }))
    this.#command(0, 'connect', 1, { app: this.#app, tcUrl: this.#tcUrl })
    return whole.subarray(length)
  }

  #answer({ type, body }: Message): void {
    const pong = answerPing({ type, body })
    if (pong) this.#socket.write(pong)
    if (type !== 20) return
    const [name, number, , about] = decodeAmf(body)
    if (name === '_error') throw new Error('The RTMP server rejects playback.')
    if (name === '_result' && number === 1) this.#command(0, 'createStream', 2, null)
    else if (name === '_result' && number === 2) this.#command(Number(about), 'play', 3, null, this.#name)
    else if (name === 'onStatus') this.#status(about)
  }

  #status(about: Amf | undefined): void {
    if (typeof about !== 'object' || about === null) return
    if (about.level === 'error') throw new Error(`The RTMP server returned the error ${about.code}.`)
    if (about.code === 'NetStream.Play.Start') this.isPlaying = true
    this.isOver ||= about.code === 'NetStream.Play.Stop' || about.code === 'NetStream.Play.UnpublishNotify'
  }

  #command(stream: number, ...values: Amf[]): void {
    this.#socket.write(encodeChunks(commands, stream, { type: 20, time: 0, body: encodeAmf(...values) }))
  }
}
