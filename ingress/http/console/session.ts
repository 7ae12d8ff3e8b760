import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { publicUrl } from '#lib/config.ts'
import { forbidden } from '#lib/errors.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as sessions from '#sql/account/sessions.ts'
import type { Db } from '#sql/db.ts'
import { findLimited } from '../limits/unknown-sessions.ts'
import type { Viewer } from './frame.ts'

/** Hours after which an operator signs in again. */
export const sessionHours = 12

/** Who acts: a session of an operator's key. */
export interface Operator extends sessions.Session, Viewer {
  /** As `jobs.actions` names who acted. */
  actor: string
}

/** Cookies do not keep to a port, so its name does: two Millraces of one host have each their own. */
const cookieName = (ctx: Context): string => `millrace_ops_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/** The operator behind a request, null when nobody is signed in (any more). Throws 429 to a network that makes cookies up. */
export async function findOperator(ctx: Context, db: Db): Promise<Operator | null> {
  const secret = ctx.cookies.get(cookieName(ctx))
  if (!secret) return null
  const session = await findLimited(ctx, secret, (one) => sessions.find(db, one, operatorScope))
  if (!session) return null
  const { key_id, key_name: label } = session
  return { ...session, csrf: csrfOf(secret), label, hint: 'The key you signed in with', actor: `${key_id} ${label}` }
}

/** Begins a session in the browser that asks. */
export async function begin(ctx: Context, db: Db, keyId: string, origin: string): Promise<void> {
  const secret = await sessions.begin(db, keyId, sessionHours)
  setCookie(ctx, origin, secret, sessionHours * 3600)
}

/** Ends a session here and, if its cookie was copied, everywhere. */
export async function end(ctx: Context, db: Db, operator: Operator, origin: string): Promise<void> {
  await sessions.end(db, operator.id)
  setCookie(ctx, origin, '', 0)
}

function setCookie(ctx: Context, origin: string, value: string, seconds: number): void {
  const secure = origin.startsWith('https:') || publicUrl().startsWith('https:')
  const parts = [`${cookieName(ctx)}=${value}`, 'Path=/ops', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict']
  ctx.append('set-cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '))
}

/** The token that goes with every form of the session that a cookie's secret stands for. */
export const csrfOf = (secret: string): string =>
  createHash('sha256').update('csrf\0').update(secret).digest('base64url')

/** Throws 403 unless the form was made for this session. */
export function checkToken({ csrf }: Pick<Viewer, 'csrf'>, given: string): void {
  const [a, b] = [Buffer.from(csrf), Buffer.from(given)]
  if (a.length !== b.length || !timingSafeEqual(a, b)) {
    throw forbidden('This form was made for another session. Go back, load the page again and repeat.')
  }
}

/** Throws 403 unless the browser says that one of our own pages sent the request (Fetch Metadata, or else `Origin`). */
export function checkSource(ctx: Context, origin: string): void {
  const site = ctx.get('sec-fetch-site')
  const from = ctx.get('origin')
  // The scheme may differ: a proxy that ends TLS need not be a trusted one.
  const sameHost = URL.canParse(from) && new URL(from).host === new URL(origin).host
  const ours = site === '' ? sameHost : site === 'same-origin' && (from === '' || sameHost)
  if (!ours) throw forbidden('This request was not sent by a page of ours.')
}
