import type { Socket } from 'node:net'
import { type Address, open } from './connection.ts'
import { Line, NoAnswer } from './line.ts'

/**
 * Sends bytes to clamd by its command INSTREAM (clamd(8)): the end is told only behind the last byte, and no more is read than the
 * connection takes. `scanStream` of clamscan reads all of a stream into memory while clamd takes none of it (216 MB of 216), ends at no
 * signal, and opens a connection per content.
 */
export const instream = (bytes: AsyncIterable<Buffer> | Buffer[]) => async (client: Socket) => {
  // What is little goes in one piece.
  client.cork()
  setImmediate(() => client.uncork())
  client.write('zINSTREAM\0')
  for await (const chunk of bytes) {
    if (client.destroyed) return
    // A length of 0 is the end.
    if (chunk.length === 0) continue
    client.write(lengthOf(chunk.length))
    client.write(chunk)
    await room(client)
  }
  client.write(lengthOf(0))
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

/** Waits until the connection takes more, or is over. */
async function room(client: Socket): Promise<void> {
  if (client.destroyed || !client.writableNeedDrain) return
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const event of ['drain', 'close']) client.once(event, resolve)
  await promise
  for (const event of ['drain', 'close']) client.off(event, resolve)
}

/** The connections that small contents go over, each of which would else cost more than its scan. */
export class Sessions {
  readonly #address: Address
  readonly #idleMs: number | undefined
  #idle: Line[] = []

  constructor(address: Address, idleMs?: number) {
    this.#address = address
    this.#idleMs = idleMs
  }

  /** Gives clamd some bytes, as many questions at once as are asked, and returns what it says of them. */
  async ask(bytes: Buffer, signal: AbortSignal): Promise<string> {
    const kept = this.#idle.pop()
    try {
      return await this.#askOn(kept ?? this.#open(), bytes, signal)
    } catch (error) {
      if (kept === undefined || !(error instanceof NoAnswer)) throw error
      // clamd hangs up on who is idle, and on all when it restarts; a fresh connection tells what is the matter.
      for (const session of this.#idle.splice(0)) session.close()
      return await this.#askOn(this.#open(), bytes, signal)
    }
  }

  #open = () => new Line(open(this.#address), true, this.#idleMs)

  async #askOn(session: Line, bytes: Buffer, signal: AbortSignal): Promise<string> {
    let answer = ''
    try {
      answer = await session.ask(instream([bytes]), signal)
      return answer
    } finally {
      // It hangs up after anything else.
      if (!/(?: OK| FOUND)$/.test(answer)) session.close()
      this.#idle = this.#idle.filter((one) => one.isOpen)
      if (session.isOpen) this.#idle.push(session)
    }
  }
}
