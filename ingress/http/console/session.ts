import type { Context } from 'koa'
import { publicUrl } from '#lib/config.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import type { Db } from '#sql/db.ts'
import { getCsrfToken } from '../html/csrf.ts'
import type { Viewer } from '../html/frame.ts'
import { findSessionLimited } from '../limits/unknown-sessions.ts'

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
