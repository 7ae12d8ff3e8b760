import { badRequest } from '#lib/errors.ts'
import type { UploadToken } from '../../http/upload-tokens.ts'

/** Fields that a web page can set with an upload token. Your server sets all others, such as the visibility. */
const ofPages: readonly string[] = ['bytes', 'filename', 'mimeType', 'title', 'idempotencyKey']

/** Fields with a default, which a web page cannot change. */
const defaults: Readonly<Record<string, unknown>> = { processingProfile: 'standard_vod' }

/** Throws 400 with each field that a web page cannot set. */
export function checkPageFields({ body, uploadToken }: { body: object; uploadToken: UploadToken | undefined }): void {
  if (!uploadToken) return
  const faults = Object.entries(body).flatMap(([name, value]) =>
    value === undefined || ofPages.includes(name) || defaults[name] === value
      ? []
      : [{ field: `body.${name}`, issue: 'cannot be set with an upload token' }],
  )
  if (faults.length > 0) throw badRequest(faults)
}
