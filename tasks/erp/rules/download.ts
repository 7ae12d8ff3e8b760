import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { OutboundClient, OutboundStream } from '#lib/http.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Validators } from '#sql/erp/imports.ts'
import type { Source } from '#sql/erp/sources.ts'
import type { Validators as Conditions } from '#sql/sources/schedule.ts'
import { fetchFile } from '../../sources/rules/fetch.ts'
import { SourceError } from '../../sources/rules/source-error.ts'
import type { Scratch } from '../../video/pools.ts'
import { listUrls } from './source-url.ts'

interface Download extends AsyncDisposable {
  path: string
  name: string
  bytes: number
  validators: Validators
}

/** Fetches the file of a source if it has changed. Throws `SourceError` and `OutboundError`. */
export async function download(
  outbound: OutboundClient,
  source: Source,
  { scratch, timeout, signal }: { scratch: Pick<Scratch, 'attempt'>; timeout: number; signal: AbortSignal },
): Promise<Download | 'unchanged'> {
  // Requests no transfer compression, because the stored file and its hash would differ.
  const headers = { 'accept-encoding': 'identity' }
  const request = { timeout, maxBytes: source.most_bytes, signal, headers, secure: true }
  const folder = (bytes: number) => scratch.attempt(Math.min(bytes, source.most_bytes))
  for (const url of listUrls(source.url, new Date())) {
    const file = fetchFile(outbound, { ...source, url }, request, (response, validators) =>
      store(response, validators, folder, signal),
    )
    const found = await file.catch(undefinedIfMissing)
    if (found !== undefined) return found
  }
  throw new SourceError('The server returned 404: the file does not exist.')
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof SourceError && error.facts.http_status === 404)) throw error
}

async function store(
  { headers, hops, body }: OutboundStream,
  validators: Conditions,
  folderFor: (bytes: number) => ReturnType<Scratch['attempt']>,
  signal: AbortSignal,
): Promise<Download> {
  // Reserves the size that the server announced. If the server announces none and the file does not fit, it is retried
  // later.
  const folder = await folderFor(Number(headers['content-length']) || 0)
  try {
    const path = join(folder.path, 'file')
    const { bytes, sha256 } = await write(body, path, signal)
    if (bytes === 0) throw new SourceError('The file is empty.')
    const name = toStorableText(new URL(hops.at(-1) ?? '').pathname.split('/').at(-1) || 'file', 200)
    const dispose = () => folder[Symbol.asyncDispose]()
    return { path, name, bytes, validators: { ...validators, sha256 }, [Symbol.asyncDispose]: dispose }
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
