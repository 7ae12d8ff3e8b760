import { open, stat } from 'node:fs/promises'

export type OnBytes = (done: number, total: number) => void

/** Thrown if a file cannot be downloaded. A later call continues it. */
export class DownloadError extends Error {
  override name = 'DownloadError'
}

/** Maximum time in milliseconds without a byte. */
const stallMs = 60_000

const sizeOf = async (path: string): Promise<number> =>
  await stat(path).then(
    ({ size }) => size,
    () => 0,
  )

interface DownloadOptions {
  signal: AbortSignal
  onBytes?: OnBytes | undefined
}

/**
 * Downloads a file of known size to `path`. Continues a part that an earlier call has left there, if the server supports
 * ranges. Writes at most `bytes` bytes.
 */
export async function download(url: string, path: string, bytes: number, options: DownloadOptions): Promise<void> {
  const had = await sizeOf(path)
  if (had >= bytes) return
  const stall = new AbortController()
  const timer = setTimeout(() => stall.abort(), stallMs)
  try {
    const headers = had > 0 ? { range: `bytes=${had}-` } : {}
    const answer = await fetch(url, { headers, signal: AbortSignal.any([options.signal, stall.signal]) })
    if (answer.status !== 200 && answer.status !== 206) throw new DownloadError(`${url} returned ${answer.status}.`)
    await write(answer, { url, path, bytes, start: answer.status === 206 ? had : 0 }, (at) => {
      timer.refresh()
      options.onBytes?.(at, bytes)
    })
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof DownloadError) throw error
    const why = stall.signal.aborted ? 'no data for a minute' : reason(error as Error)
    throw new DownloadError(`${url} cannot be downloaded: ${why}. Run the command again to continue.`)
  } finally {
    clearTimeout(timer)
  }
}

interface Target {
  url: string
  path: string
  bytes: number
  start: number
}

async function write(
  answer: Response,
  { url, path, bytes, start }: Target,
  onBytes: (at: number) => void,
): Promise<void> {
  await using file = await open(path, start > 0 ? 'r+' : 'w')
  let at = start
  for await (const chunk of answer.body ?? []) {
    if (at + chunk.length > bytes) throw new DownloadError(`${url} is larger than ${bytes} bytes.`)
    await file.write(chunk, 0, chunk.length, at)
    at += chunk.length
    onBytes(at)
  }
  if (at < bytes)
    throw new DownloadError(`${url} ended after ${at} of ${bytes} bytes. Run the command again to continue.`)
}

const reason = (error: Error): string =>
  error.cause instanceof Error ? error.cause.message || error.message : error.message
