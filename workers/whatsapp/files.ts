import { randomBytes } from 'node:crypto'
import { CloudApiError, type IncomingFile, type OutgoingFile } from '#tasks/whatsapp/engine.ts'
import { MediaPlace, UploadedMedia } from './answer-forms.ts'
import type { Graph } from './graph.ts'

/** Timeout in milliseconds per file. The largest file has 100 MB. */
const fileMs = 90_000

interface Passage {
  graph: Graph
  token: string
  mediaHosts: readonly string[]
}

/** Uploads a file as `multipart/form-data` (RFC 7578), streamed from storage. */
export async function upload(
  { graph, token }: Passage,
  phoneNumberId: string,
  { bytes, byteSize, type, filename }: OutgoingFile,
  signal: AbortSignal,
): Promise<string> {
  const boundary = `millrace-${randomBytes(16).toString('hex')}`
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = Buffer.from(
    `${field('messaging_product', 'whatsapp')}${field('type', type)}--${boundary}\r\n` +
      `content-disposition: form-data; name="file"; filename="${quoted(filename)}"\r\ncontent-type: ${type}\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* whole() {
    yield head
    yield* bytes
    yield tail
  }
  const stream = {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + byteSize + tail.length,
    bytes: whole(),
  }
  const asked = { path: `${phoneNumberId}/media`, token, stream, timeoutMs: fileMs }
  return (await graph.ask(asked, UploadedMedia, signal)).id
}

/** Encodes names as browsers do (HTML 4.10.21.8), so that they cannot end the header. */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A').toWellFormed()

/** Fetches a received file. Accepts URLs only on Meta's hosts, because the token is sent there. */
export async function download(
  { graph, token, mediaHosts }: Passage,
  mediaId: string,
  phoneNumberId: string,
  mostBytes: number,
  stopping: AbortSignal,
): Promise<IncomingFile> {
  const query = new URLSearchParams({ phone_number_id: phoneNumberId })
  const place = await graph.ask({ path: `${encodeURIComponent(mediaId)}?${query}`, token }, MediaPlace, stopping)
  const url = new URL(place.url)
  const isMetas = url.origin === graph.origin || (url.protocol === 'https:' && mediaHosts.includes(url.hostname))
  if (!isMetas || url.username || url.password)
    throw new CloudApiError('refused', 'The file is not on a host of Meta.', { httpStatus: 403 })
  if ((place.file_size ?? 0) > mostBytes) throw tooLong()
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(fileMs)])
  const bytes = await graph.fetch(url, token, signal)
  return { type: place.mime_type, sha256: place.sha256, bytes: bounded(bytes, mostBytes) }
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, mostBytes: number) {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > mostBytes) throw tooLong()
    yield chunk
  }
}

const tooLong = () =>
  new CloudApiError('refused', 'The file exceeds the maximum size of its type.', { httpStatus: 413 })
