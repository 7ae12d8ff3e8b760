import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { forbidden } from '#lib/errors.ts'
import type { Viewer } from './frame.ts'

export const getCsrfToken = (secret: string): string =>
  createHash('sha256').update('csrf\0').update(secret).digest('base64url')

/** Throws 403 if the form token belongs to another session. */
export function checkToken({ csrf }: Pick<Viewer, 'csrf'>, given: string): void {
  const [a, b] = [Buffer.from(csrf), Buffer.from(given)]
  if (a.length !== b.length || !timingSafeEqual(a, b)) {
    throw forbidden('This form belongs to a different session. Go back, reload the page and try again.')
  }
}

/**
 * Throws 403 unless one of our pages sent the request. The browser reports this with Fetch Metadata, otherwise with
 * `Origin`.
 */
export function checkSource(ctx: Context, origin: string): void {
  const site = ctx.get('sec-fetch-site')
  const from = ctx.get('origin')
  // Only the host is compared. The scheme can be different if a proxy that terminates TLS is not trusted.
  const sameHost = URL.canParse(from) && new URL(from).host === new URL(origin).host
  const ours = site === '' ? sameHost : site === 'same-origin' && (from === '' || sameHost)
  if (!ours) throw forbidden('This request was not sent from a Millrace page. Open the page and try again.')
}
