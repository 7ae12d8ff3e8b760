import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { PageCall } from '../../http/dashboard/page.ts'
import type { UploadSession } from '../../http/html/upload-form.ts'
import { start as startParts } from '../multipart.ts'
import { start } from '../uploads.ts'

/** Files above this size in bytes are sent in parts, so that they can be paused and resumed. */
const largeBytes = 16 * 1024 ** 2

/** Time to live of an upload token in seconds. It is as long as an upload in parts can take. */
export const tokenSeconds = 86_400

const StartedParts = z.object({ object_id: Id, upload_token: z.string() })

const Started = StartedParts.extend({ upload_url: z.url(), upload_headers: z.record(z.string(), z.string()) })

interface Facts {
  product_key: string
  tenant_id: string
  filename: string
  folder?: string | undefined
  content_type: string
  byte_size: number
}

/** Starts the upload of a file that a member has chosen: in one request, or in parts if it is large. */
export async function startSession(
  { ask, host }: Pick<PageCall<object, object>, 'ask' | 'host'>,
  facts: Facts,
): Promise<UploadSession> {
  if (facts.byte_size <= largeBytes) {
    const body = { ...facts, browser: { origins: [host] } }
    const { upload_url: url, upload_headers: headers, ...started } = await ask(start, { body }, Started)
    return { ...sessionOf('file', started, host), url, headers }
  }
  const body = { ...facts, browser: { origins: [host], expires_in: tokenSeconds } }
  return sessionOf('parts', await ask(startParts, { body }, StartedParts), host)
}

export function sessionOf(
  kind: 'file' | 'parts',
  { object_id: id, upload_token: token }: z.output<typeof StartedParts>,
  host: string,
): UploadSession {
  const to = `/app/files/${id}`
  return { kind, id, token, api: getPublicBase(host), to, resume: kind === 'file' ? '/app/files/upload' : to }
}
