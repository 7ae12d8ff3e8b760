import type { ServerResponse } from 'node:http'
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'

/** Counts the bytes that a client has taken. */
class Meter extends Transform {
  bytes = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    done(null, chunk)
  }
}

const counts = new WeakMap<ServerResponse, () => number>()

/** Returns the body of a response whose bytes are counted. Buffers count when the response has ended. */
export function metered(res: ServerResponse, body: Buffer | Readable): Buffer | Readable {
  if (Buffer.isBuffer(body)) {
    counts.set(res, () => (res.writableFinished ? body.length : 0))
    return body
  }
  const meter = new Meter()
  counts.set(res, () => meter.bytes)
  // The response ends with the error of the meter.
  return pipeline(body, meter, () => {})
}

export const getSentBytes = (res: ServerResponse): number => counts.get(res)?.() ?? 0
