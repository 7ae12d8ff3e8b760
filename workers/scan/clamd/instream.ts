import type { Socket } from 'node:net'
import { type Address, open } from './connection.ts'
import { ClamdConnection, NoResponseError } from './line.ts'

/**
 * Sends bytes with INSTREAM (clamd(8)). The end is sent only after the last byte. Bytes are read only as fast as the
 * connection accepts them. `scanStream` of clamscan is not used: it reads the whole stream into memory if clamd is slow
 * (216 MB of 216), ignores signals, and opens a connection per content.
 */
export const sendInstream = (bytes: AsyncIterable<Buffer> | Buffer[]) => async (client: Socket) => {
  // Sends small data in one packet.
  client.cork()
  setImmediate(() => client.uncork())
  client.write('zINSTREAM\0')
  for await (const chunk of bytes) {
    if (client.destroyed) return
    // A length of 0 marks the end.
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

async function room(client: Socket): Promise<void> {
  if (client.destroyed || !client.writableNeedDrain) return
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const event of ['drain', 'close']) client.once(event, resolve)
  await promise
  for (const event of ['drain', 'close']) client.off(event, resolve)
}

/** Connections for small contents. A new connection would cost more than the scan of a small content. */
export class Sessions {
  readonly #address: Address
  readonly #idleMs: number | undefined
  #idle: ClamdConnection[] = []

  constructor(address: Address, idleMs?: number) {
    this.#address = address
    this.#idleMs = idleMs
  }

  /** Sends bytes to clamd and returns its response. Several requests can be in progress. */
  async ask(bytes: Buffer, signal: AbortSignal): Promise<string> {
    const kept = this.#idle.pop()
    try {
      return await this.#askOn(kept ?? this.#open(), bytes, signal)
    } catch (error) {
      if (kept === undefined || !(error instanceof NoResponseError)) throw error
      // clamd closes idle connections, and closes all connections when it restarts. A new connection shows the actual
      // problem.
      for (const session of this.#idle.splice(0)) session.close()
      return await this.#askOn(this.#open(), bytes, signal)
    }
  }

  #open = () => new ClamdConnection(open(this.#address), true, this.#idleMs)

  async #askOn(session: ClamdConnection, bytes: Buffer, signal: AbortSignal): Promise<string> {
    let answer = ''
    try {
      answer = await session.ask(sendInstream([bytes]), signal)
      return answer
    } finally {
      // clamd closes the connection after any other response.
      if (!/(?: OK| FOUND)$/.test(answer)) session.close()
      this.#idle = this.#idle.filter((one) => one.isOpen)
      if (session.isOpen) this.#idle.push(session)
    }
  }
}
