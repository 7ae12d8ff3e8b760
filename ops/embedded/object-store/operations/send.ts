import type { ServerResponse } from 'node:http'
import type { Range } from '../protocol/range.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { Segment } from '../storage/objects.ts'

const bufferSize = 1 << 20

/**
 * Sends a range of an object from its segments. Uses two buffers in turn: one is filled from disk while the kernel
 * reads the other. Allocates nothing else.
 */
export async function send(
  response: ServerResponse,
  blobs: Blobs,
  segments: readonly Segment[],
  { start, end }: Range,
): Promise<void> {
  const release = blobs.hold(segments.map(({ blob }) => blob))
  try {
    const size = Math.min(bufferSize, end - start)
    const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)] as const
    let turn: 0 | 1 = 0
    let sending = Promise.resolve()
    for (const segment of segments) {
      const file = await blobs.read(segment.blob)
      try {
        let at = Math.max(start - segment.start, 0)
        const stop = Math.min(end - segment.start, segment.size)
        while (at < stop) {
          const buffer: Buffer = buffers[turn]
          turn = turn === 0 ? 1 : 0
          const { bytesRead } = await file.read(buffer, 0, Math.min(size, stop - at), at)
          if (bytesRead === 0) throw new Error(`blob ${segment.blob} is shorter than the ledger says`)
          at += bytesRead
          await sending
          sending = write(response, buffer.subarray(0, bytesRead))
          sending.catch(() => undefined)
        }
      } finally {
        await file.close()
      }
    }
    await sending
    response.end()
  } finally {
    release()
  }
}

/** Resolves when the kernel has the bytes, so that the buffer can be reused. */
function write(response: ServerResponse, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the client disconnected'))
    if (response.destroyed) return fail()
    response.once('close', fail)
    response.write(data, (error) => {
      response.off('close', fail)
      if (error) reject(error)
      else resolve()
    })
  })
}
