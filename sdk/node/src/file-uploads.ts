import { MillraceError } from './errors.ts'
import type { Areas } from './generated/areas.ts'
import type { FilesMultipartStartBody, FilesPartsUpload, FilesUpload } from './generated/types.ts'
import { type PartsPlan, sendParts } from './parts.ts'
import { type Sliceable, type Source, toSliceable } from './sources.ts'
import { putToStorage } from './storage.ts'
import { UploadError, type UploadOptions } from './upload-options.ts'

/** Files above this size in bytes are sent in parts, unless `parts` is set. */
const largeBytes = 64 * 1024 ** 2

export interface FileUploadOptions
  extends UploadOptions,
    Omit<FilesMultipartStartBody, 'byte_size' | 'filename' | 'product_key' | 'tenant_id'> {
  /** Product that the file belongs to. Required without `token`. */
  product_key?: string | undefined
  /** Tenant that the file belongs to. Required without `token`. */
  tenant_id?: string | undefined
  /** File name. Default: the name of a `File`. */
  filename?: string | undefined
  /** Sends the file in parts. Default: true for files above 64 MiB. */
  parts?: boolean | undefined
  /** `object_id` of an upload in parts to resume. Only the missing parts are sent. */
  resume?: string | undefined
  /** Called with the ID of an upload in parts as soon as it exists. Store the ID so that you can resume the upload. */
  onStart?: ((started: { object_id: string }) => void) | undefined
  /** Maximum number of parts that are sent at the same time. Default: the recommendation of the API. */
  concurrency?: number | undefined
  /** Upload token of a web page. It replaces the API key. */
  token?: string | undefined
}

/** Options to upload a file from a web page. The server started the upload with `browser`. */
export interface FileSessionOptions extends UploadOptions {
  /** Response of `files.uploads.start` or `files.multipart.start`. */
  session: (
    | Pick<FilesUpload, 'object_id' | 'upload_url' | 'upload_headers'>
    | Pick<FilesPartsUpload, 'object_id' | 'part_size'>
  ) & {
    upload_token?: string | undefined
  }
}

export type CompletedFile = Awaited<ReturnType<Areas['files']['uploads']['complete']>>

interface Sending extends UploadOptions {
  fetcher: typeof fetch
  content: Sliceable
  concurrency?: number | undefined
}

/**
 * Uploads a file to the malware gate and starts its scan. When the scan has found nothing, `scan_status` is `clean`.
 * `withToken` returns the areas for a web page with the token of its upload.
 */
export async function uploadFile(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  options: FileUploadOptions,
  withToken: (session: { upload_token?: string | undefined }) => Areas,
): Promise<CompletedFile> {
  const { signal, onProgress, filename, parts, resume, onStart, concurrency, token, ...facts } = options
  const content = toSliceable(source)
  const sending = { fetcher, content, signal, onProgress, concurrency }
  const owner = ownerOf(facts.tenant_id, token)
  if (resume) return await resumeParts(areas, resume, sending, owner)
  const name = filename ?? content.filename
  if (name === undefined) throw new MillraceError('The source has no name. Pass `filename`.')
  const body = { ...facts, filename: name, byte_size: content.bytes }
  if (token || (parts ?? content.bytes > largeBytes)) {
    const session = await areas.files.multipart.start(body, { signal })
    onStart?.({ object_id: session.object_id })
    const own = token ? withToken(session) : areas
    return await sendAll(own, session.object_id, { ...planOf(session), received: [] }, sending, owner)
  }
  const { product_key, tenant_id } = facts
  if (!product_key || !tenant_id) throw new MillraceError('`product_key` and `tenant_id` are required.')
  const started = await areas.files.uploads.start({ ...body, product_key, tenant_id }, { signal })
  await putFile(sending, started)
  return await areas.files.uploads.complete(started.object_id, owner, { signal })
}

/** Sends the file of an upload that a server has started, and starts the scan. */
export async function sendFile(
  areas: Areas,
  fetcher: typeof fetch,
  source: Source,
  { session, signal, onProgress }: FileSessionOptions,
): Promise<CompletedFile> {
  const content = toSliceable(source)
  const sending = { fetcher, content, signal, onProgress }
  if (!('upload_url' in session)) return await resumeParts(areas, session.object_id, sending, {})
  const { byte_size } = await areas.files.objects.read(session.object_id, {}, { signal })
  checkSize(byte_size, content)
  await putFile(sending, session)
  return await areas.files.uploads.complete(session.object_id, {}, { signal })
}

type Owner = { tenant_id?: string }

const ownerOf = (tenant: string | null | undefined, token: string | undefined): Owner =>
  tenant && !token ? { tenant_id: tenant } : {}

function checkSize(size: number, { bytes }: Sliceable): void {
  if (size !== bytes) throw new MillraceError(`The upload has ${size} bytes, but this source has ${bytes}.`)
}

const planOf = (one: { part_size: number; parts_expected: number; recommended_concurrency?: number }) => ({
  partSize: one.part_size,
  parts: one.parts_expected,
  concurrency: one.recommended_concurrency ?? 4,
})

/** Sends the parts that storage does not have yet. */
async function resumeParts(areas: Areas, id: string, sending: Sending, owner: Owner): Promise<CompletedFile> {
  const status = await areas.files.multipart.read(id, owner, { signal: sending.signal })
  checkSize(status.byte_size, sending.content)
  if (status.state === 'completed') return await areas.files.uploads.complete(id, owner, { signal: sending.signal })
  return await sendAll(areas, id, { ...planOf(status), received: status.parts_received }, sending, owner)
}

async function sendAll(
  areas: Areas,
  id: string,
  plan: PartsPlan,
  { fetcher, content, signal, onProgress, concurrency = plan.concurrency }: Sending,
  owner: Owner,
): Promise<CompletedFile> {
  const sign = async (part: number, ends: AbortSignal) => {
    const { parts } = await areas.files.multipart.sign(id, { part_numbers: [part], ...owner }, { signal: ends })
    return parts[0]?.url
  }
  try {
    await sendParts(fetcher, content, { ...plan, concurrency }, sign, { signal, onProgress })
    // A second call returns the same response, so the call can be repeated.
    return await areas.files.uploads.complete(id, owner, { signal })
  } catch (failure) {
    signal?.throwIfAborted()
    throw new UploadError(id, failure)
  }
}

async function putFile(
  { fetcher, content, signal, onProgress }: Sending,
  { upload_url: url, upload_headers: headers }: Pick<FilesUpload, 'upload_url' | 'upload_headers'>,
): Promise<void> {
  const { bytes } = content
  onProgress?.({ bytesSent: 0, bytes })
  const body = await content.slice(0, bytes)
  await putToStorage(async () => ({ url, headers, body }), fetcher, signal)
  onProgress?.({ bytesSent: bytes, bytes })
}
