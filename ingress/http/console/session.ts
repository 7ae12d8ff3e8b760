import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { publicUrl } from '#lib/config.ts'
import { forbidden } from '#lib/errors.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import type { Db } from '#sql/db.ts'
import { findSessionLimited } from '../limits/unknown-sessions.ts'
import type { Viewer } from './frame.ts'

export const sessionHours = 12

export interface Operator extends sessions.Session, Viewer {
  actor: string
}

/**
 * The name contains the port, because browsers share cookies between all ports of a host. So two Millraces can run on
 * one host.
 */
const cookieName = (ctx: Context): string => `millrace_ops_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/**
 * Returns the operator of a request, or null if no operator is signed in. Throws 429 if the network sends many invalid
 * cookies.
 */
export async function findOperator(ctx: Context, db: Db): Promise<Operator | null> {
  const secret = ctx.cookies.get(cookieName(ctx))
  if (!secret) return null
  const session = await findSessionLimited(ctx, secret, (one) => sessions.find(db, one, operatorScope))
  if (!session) return null
  const { key_id, key_name: label } = session
  return {
    ...session,
    csrf: getCsrfToken(secret),
    label,
    hint: 'The key you signed in with',
    actor: `${key_id} ${label}`,
  }
}

export async function startSession(ctx: Context, db: Db, keyId: string, origin: string): Promise<void> {
  const secret = await sessions.begin(db, keyId, sessionHours)
  setCookie(ctx, origin, secret, sessionHours * 3600)
}

export async function endSession(ctx: Context, db: Db, operator: Operator, origin: string): Promise<void> {
  await sessions.end(db, operator.id)
  setCookie(ctx, origin, '', 0)
}

function setCookie(ctx: Context, origin: string, value: string, seconds: number): void {
  const secure = origin.startsWith('https:') || publicUrl().startsWith('https:')
  const parts = [`${cookieName(ctx)}=${value}`, 'Path=/ops', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict']
  ctx.append('set-cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '))
}

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
