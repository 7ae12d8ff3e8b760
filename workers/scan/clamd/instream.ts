import type { Socket } from 'node:net'

/** The connection ended without an answer. */
export class Unanswered extends Error {
  override name = 'Unanswered'
}

/**
 * Sends bytes to clamd by its command INSTREAM (clamd(8)) and returns what it answers; it may answer before it has had all of
 * them. The end is told only behind the last byte, and no more is read than the connection takes. Throws `Unanswered`, the
 * source's error, or the signal's reason. The connection is over then.
 */
export async function instream(client: Socket, bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const answered = answerOf(client, signal)
  const stop = () => client.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    const sent = send(client, bytes).then(() => answered)
    // Whichever is first; the other one's end is nobody's any more.
    for (const end of [answered, sent]) end.catch(() => {})
    return await Promise.race([answered, sent])
  } finally {
    signal.removeEventListener('abort', stop)
    client.destroy()
  }
}

const unanswered = () => new Unanswered('clamd hung up without an answer')

/** All that clamd says until it hangs up, which it does after each answer. */
async function answerOf(client: Socket, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  let fault: Error | undefined
  client.setEncoding('utf8')
  client.on('data', (text) => {
    said += text
  })
  client.on('error', (error: Error) => {
    fault = signal.aborted ? signal.reason : new Unanswered(error.message, { cause: error })
  })
  // A whole answer counts, even where its hanging up cut off what was still on its way there.
  client.on('close', () => (said.endsWith('\0') ? resolve(said.slice(0, -1)) : reject(fault ?? unanswered())))
  return await promise
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
