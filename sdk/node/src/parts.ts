import { MillraceError } from './errors.ts'
import type { Sliceable } from './sources.ts'
import { putToStorage } from './storage.ts'
import type { UploadOptions } from './upload-options.ts'

export interface PartsPlan {
  partSize: number
  parts: number
  /** Number of parts that are sent at the same time. */
  concurrency: number
  /** Numbers of the parts that storage already has. */
  received: readonly number[]
}

/** Sends the missing parts. `sign` returns a new URL for a part, for each attempt. */
export async function sendParts(
  fetcher: typeof fetch,
  content: Sliceable,
  { partSize, parts, concurrency, received }: PartsPlan,
  sign: (part: number, signal: AbortSignal) => Promise<string | undefined>,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const { bytes } = content
  const ends = (part: number) => Math.min(part * partSize, bytes)
  const sizeOf = (part: number) => ends(part) - ends(part - 1)
  const had = new Set(received)
  const missing = Array.from({ length: parts }, (_, i) => i + 1).filter((part) => !had.has(part))
  let bytesSent = received.reduce((sum, part) => sum + sizeOf(part), 0)
  onProgress?.({ bytesSent, bytes })
  // If a part fails, all others are aborted.
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal

  const send = async (part: number) => {
    const body = await content.slice(ends(part - 1), ends(part))
    const put = async () => {
      const url = await sign(part, either)
      if (!url) throw new MillraceError(`The API returned no signed URL for part ${part}.`)
      return { url, body }
    }
    await putToStorage(put, fetcher, either)
    bytesSent += sizeOf(part)
    onProgress?.({ bytesSent, bytes })
  }
  const sender = async () => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) await send(part)
  }
  let why: unknown
  const senders = Array.from({ length: Math.max(1, concurrency) }, () =>
    sender().catch((failure) => {
      why ??= failure
      failed.abort(failure)
    }),
  )
  await Promise.all(senders)
  if (why !== undefined) throw why
}
