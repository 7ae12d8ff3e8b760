import type { Millrace } from '../../client.ts'
import { APIError, MillraceError } from '../../errors.ts'
import { fileSource } from '../../node.ts'
import type { UploadProgress } from '../../upload-options.ts'
import type { LocalFile, UploadSession } from './sessions.ts'

/** Files above this size are sent in parts, so that an interruption repeats only a part. */
const inPartsAbove = 8 * 1024 ** 2

export interface Sending {
  client: Millrace
  file: LocalFile
  session: UploadSession
  signal: AbortSignal
  onProgress: (progress: UploadProgress) => void
  onResume: () => void
}

/** Returns the client. It is loaded only here, because its size would slow down all other commands. */
export async function openClient(url: string, key: string): Promise<Millrace> {
  const { Millrace } = await import('../../client.ts')
  return new Millrace({ baseUrl: url, apiKey: key })
}

/** Uploads a video. Returns the ID of the asset. */
export async function sendVideo(
  sending: Sending,
  facts: { title?: string; filename: string; mimeType: string },
): Promise<string> {
  const { client, file, signal, onProgress } = sending
  return await resumable(sending, async (resume, onStart) => {
    const source = await fileSource(file.path)
    const { assetId } = await client.uploadVideo(source, {
      ...{ signal, onProgress, ...facts },
      ...(resume ? { resume } : {}),
      onStart: ({ uploadId }) => onStart(uploadId),
    })
    return assetId
  })
}

export interface FileFacts {
  product_key: string
  tenant_id: string
  filename: string
  content_type: string
  folder?: string
  visibility?: 'private' | 'signed' | 'public'
}

/** Uploads a file. Returns the ID of the object. */
export async function sendFile(sending: Sending, facts: FileFacts): Promise<string> {
  const { client, file, signal, onProgress } = sending
  return await resumable(sending, async (resume, onStart) => {
    const source = await fileSource(file.path)
    const { object_id } = await client.uploadFile(source, {
      ...{ signal, onProgress, ...facts, parts: file.bytes > inPartsAbove },
      ...(resume ? { resume } : {}),
      onStart: ({ object_id: id }) => onStart(id),
    })
    return object_id
  })
}

/** Continues an interrupted upload if the server still has it. Otherwise starts a new upload. */
async function resumable(
  { session, onResume }: Sending,
  upload: (resume: string | undefined, onStart: (id: string) => void) => Promise<string>,
): Promise<string> {
  let saving: Promise<void> = Promise.resolve()
  const onStart = (id: string) => {
    saving = session.save(id)
    saving.catch(() => {})
  }
  const resume = await session.read()
  if (resume) onResume()
  const id = await upload(resume, onStart).catch(async (failure) => {
    if (!resume || !isGone(failure)) throw failure
    await session.remove()
    return await upload(undefined, onStart)
  })
  await saving
  await session.remove()
  return id
}

/** True if the server cannot continue an upload: it was deleted, aborted, has expired, or has another size. */
function isGone(failure: unknown): boolean {
  const { cause } = failure as { cause?: unknown }
  const reason = cause instanceof MillraceError ? cause : failure
  if (reason instanceof APIError) return reason.status === 404 || reason.status === 409 || reason.status === 410
  return reason instanceof MillraceError && / bytes, but this source has /.test(reason.message)
}
