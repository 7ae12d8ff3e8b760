import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

const counts = new WeakMap<ServerResponse, () => number>()

/** Counts the bytes of a response’s body that the client has taken. A buffer counts when the response has ended. */
export function countSent(res: ServerResponse, body: Buffer | Readable): void {
  if (Buffer.isBuffer(body)) {
    counts.set(res, () => (res.writableFinished ? body.length : 0))
    return
  }
  let bytes = 0
  counts.set(res, () => bytes)
  // Paused first, because a listener would otherwise start the stream before the response is attached to it.
  body.pause().on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
}

export const getSentBytes = (res: ServerResponse): number => counts.get(res)?.() ?? 0
