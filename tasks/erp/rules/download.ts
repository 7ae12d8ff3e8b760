import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { OutboundClient, OutboundStream } from '#lib/http.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Validators } from '#sql/erp/imports.ts'
import type { Source } from '#sql/erp/sources.ts'
import type { Scratch } from '../../video/pools.ts'
import { listUrls } from './source-url.ts'

export class FetchError extends Error {
  override name = 'FetchError'
}

interface Download extends AsyncDisposable {
  path: string
  name: string
  bytes: number
  validators: Validators
}

/**
 * Fetches the file of a source. Returns `null` if the server reports no change. Throws `FetchError` and
 * `OutboundError`.
 */
export async function download(
  outbound: OutboundClient,
  source: Source,
  { scratch, timeout, signal }: { scratch: Pick<Scratch, 'attempt'>; timeout: number; signal: AbortSignal },
): Promise<Download | null> {
  const headers = {
    // Requests no transfer compression, because the stored file and its hash would differ.
    'accept-encoding': 'identity',
    ...(source.etag !== null && { 'if-none-match': source.etag }),
    ...(source.last_modified !== null && { 'if-modified-since': source.last_modified }),
  }
  const options = { timeout, maxBytes: source.most_bytes, redirects: 5, signal, headers }
  const urls = listUrls(source.url, new Date())
  const folder = (bytes: number) => scratch.attempt(Math.min(bytes, source.most_bytes))
  for (const url of urls) {
    const found = await outbound.stream(url, options, (response) => take(response, folder, signal))
    if (found !== 'missing') return found
  }
  throw new FetchError('The server returned 404: the file does not exist.')
}

async function take(
  response: OutboundStream,
  folderFor: (bytes: number) => ReturnType<Scratch['attempt']>,
  signal: AbortSignal,
): Promise<Download | null | 'missing'> {
  const { status, headers, hops } = response
  if (hops.some((hop) => !hop.startsWith('https:')))
    throw new FetchError('The server redirects to a URL that is not https.')
  if (status === 304) return null
  if (status === 404) return 'missing'
  if (status !== 200) throw new FetchError(`The server returned ${status}.`)
  const validators = { etag: textOf(headers.etag), last_modified: textOf(headers['last-modified']) }
  // Reserves the size that the server announced. If the server announces none and the file does not fit, it is retried
  // later.
  const folder = await folderFor(Number(textOf(headers['content-length'])) || 0)
  try {
    const path = join(folder.path, 'file')
    const written = await write(response.body, path, signal)
    if (written.bytes === 0) throw new FetchError('The file is empty.')
    const name = toStorableText(new URL(hops.at(-1) ?? '').pathname.split('/').at(-1) || 'file', 200)
    return {
      path,
      name,
      bytes: written.bytes,
      validators: { ...validators, sha256: written.sha256 },
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

async function write(body: AsyncIterable<Buffer>, path: string, signal: AbortSignal) {
  const sum = createHash('sha256')
  let bytes = 0
  async function* noted() {
    for await (const chunk of body) {
      sum.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  await pipeline(noted, createWriteStream(path), { signal })
  return { bytes, sha256: sum.digest('hex') }
}

const textOf = (header: string | string[] | undefined) =>
  typeof header === 'string' ? toStorableText(header, 500) : null
