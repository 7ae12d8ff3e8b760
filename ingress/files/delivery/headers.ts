import type { Context } from 'koa'
import { contentDisposition } from '#lib/attachment.ts'
import type { ServedType } from './served-type.ts'

/**
 * The policy of files that can contain code: no code runs, nothing is loaded, and the document has a separate origin.
 * Styles are allowed, because drawings need them.
 */
const sandbox =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; form-action 'none'"

const exposed = 'accept-ranges, content-disposition, content-length, content-range, etag, last-modified, x-request-id'

export type Disposition = 'inline' | 'attachment'

/** Time in seconds for which caches serve a public file without asking. A revoked file must end within five seconds. */
export const publicSeconds = 5

/** Lets caches keep a public file, but not after the object expires. */
export function setCaching(ctx: Context, isPublic: boolean, expiresAt: Date | null): void {
  const seconds = Math.min(publicSeconds, secondsUntil(expiresAt))
  ctx.set('cache-control', isPublic ? `public, max-age=${seconds}, must-revalidate` : 'private, no-cache')
}

const secondsUntil = (end: Date | null): number =>
  end === null ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((end.getTime() - Date.now()) / 1000))

export function setContentHeaders(
  ctx: Context,
  { type, isSafe }: ServedType,
  disposition: Disposition,
  filename: string,
): void {
  ctx.set('content-type', type)
  ctx.set('content-disposition', contentDisposition(disposition, filename))
  if (!isSafe) ctx.set('content-security-policy', sandbox)
}

/** Lets any web page embed and read the file, and keeps its URL out of other sites' logs. */
export function setEmbeddingHeaders(ctx: Context): void {
  ctx.set('access-control-expose-headers', exposed)
  ctx.set('cross-origin-resource-policy', 'cross-origin')
  ctx.set('referrer-policy', 'no-referrer')
}
