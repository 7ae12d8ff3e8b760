import type { Socket } from 'node:net'
import { converse } from './conversation.ts'

/**
 * Sends bytes to clamd by its command INSTREAM (clamd(8)) and returns what it answers; it may answer before it has had all of
 * them. The end is told only behind the last byte, and no more is read than the connection takes. Throws as `converse` does.
 */
export async function instream(client: Socket, bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  return await converse(client, signal, () => send(client, bytes))
}

async function send(client: Socket, bytes: AsyncIterable<Buffer>): Promise<void> {
  client.write('zINSTREAM\0')
  for await (const chunk of bytes) {
    if (client.destroyed) return
    if (!write(client, chunk)) await room(client)
  }
  client.write(lengthOf(0))
}

/** Writes a chunk behind its length; false when no more should be written for now. */
function write(client: Socket, chunk: Buffer): boolean {
  // A length of 0 is the end.
  if (chunk.length === 0) return true
  client.cork()
  client.write(lengthOf(chunk.length))
  const hasRoom = client.write(chunk)
  client.uncork()
  return hasRoom
}

/** What stands before each chunk of a stream; before none, its end. */
export function lengthOf(bytes: number): Buffer {
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
