import type { Context } from 'koa'
import { forbidden } from '#lib/errors.ts'
import { loggedNetwork } from '#lib/network.ts'
import * as sessions from '#sql/account/browser-sessions.ts'
import type { Role } from '#sql/account/members.ts'
import type { Db } from '#sql/db.ts'
import { csrfOf } from '../console/session.ts'
import { findLimited } from '../limits/unknown-sessions.ts'
import { isSecureApp, setCookie } from './cookies.ts'

/** Minutes for which a confirmation by passkey or identity provider is good. */
export const stepUpMinutes = 10

/** Who is signed in, and for which organisation. */
export interface Member {
  sessionId: string
  userId: string
  name: string
  email: string
  orgId: string
  orgName: string
  role: Role
  /** Whether the organisation waits for its end. */
  closing: boolean
  /** Whether it is held because it moves to another cell. */
  moving: boolean
  method: sessions.Method
  /** Goes with every form of this session. */
  csrf: string
  /** When they last confirmed that it is they. */
  steppedUpAt: Date | null
  /** What the next page says of the action before it. */
  told: string | null
  /** When the session ends unless something is asked for. */
  idleUntil: Date
  /** When it ends in any case. */
  expiresAt: Date
}

/** Cookies do not keep to a port: on http, two Millraces of one host have each their own. Safari drops Secure cookies there. */
const cookieName = (ctx: Context): string =>
  isSecureApp() ? '__Host-millrace_app' : `millrace_app_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/**
 * The member behind a request, null when nobody is signed in (any more). The request prolongs the session, unless it is none that
 * somebody made, as those of a page that is left open. Throws 429 to a network that makes cookies up.
 */
export async function findMember(ctx: Context, db: Db, { isUse = true } = {}): Promise<Member | null> {
  const secret = ctx.cookies.get(cookieName(ctx))
  if (!secret) return null
  const session = await findLimited(ctx, secret, (one) => sessions.find(db, one))
  if (!session) return null
  const idleUntil = (isUse ? await sessions.touch(db, session.id) : null) ?? session.idle_until
  return {
    sessionId: session.id,
    userId: session.user_id,
    name: session.name,
    email: session.email,
    orgId: session.org_id,
    orgName: session.org_name,
    role: session.role,
    closing: session.closing,
    moving: session.moving,
    method: session.method,
    csrf: csrfOf(secret),
    steppedUpAt: session.stepped_up_at,
    told: session.told,
    idleUntil,
    expiresAt: session.expires_at,
  }
}

/** Who signs in, to what, and how. */
export interface SignIn {
  userId: string
  orgId: string
  method: sessions.Method
  /** Whether how they signed in is a confirmation, too. */
  steppedUp?: boolean
}

/** Begins a session in the browser that asks; one that was there ends. */
export async function begin(ctx: Context, tx: Db, ip: string, { steppedUp = false, ...who }: SignIn): Promise<void> {
  const before = await findMember(ctx, tx)
  if (before) await sessions.end(tx, before.userId, before.sessionId)
  const agent = ctx.get('user-agent').slice(0, 300)
  const secret = await sessions.begin(tx, { ...who, steppedUp, network: loggedNetwork(ip), agent })
  keep(ctx, secret)
}

/** Notes that a member has just confirmed that it is they; the session has another secret from then on. */
export async function stepUp(ctx: Context, tx: Db, member: Pick<Member, 'sessionId'>): Promise<void> {
  keep(ctx, await sessions.renew(tx, member.sessionId, { steppedUp: true }))
}

/** Goes on for another organisation of the same user, of which they must be a member. */
export async function change(ctx: Context, tx: Db, member: Member, orgId: string): Promise<void> {
  keep(ctx, await sessions.renew(tx, member.sessionId, { orgId }))
}

/** Ends a session here and, if its cookie was copied, everywhere. */
export async function end(ctx: Context, tx: Db, member: Member): Promise<void> {
  await sessions.end(tx, member.userId, member.sessionId)
  setCookie(ctx, cookieName(ctx), '', { seconds: 0, sameSite: 'Strict' })
}

const keep = (ctx: Context, secret: string) =>
  setCookie(ctx, cookieName(ctx), secret, { seconds: sessions.sessionHours * 3600, sameSite: 'Strict' })

/** Whether a member has confirmed within the last minutes that it is they. */
export const isSteppedUp = ({ steppedUpAt }: Member): boolean =>
  steppedUpAt !== null && steppedUpAt.getTime() > Date.now() - stepUpMinutes * 60_000

/** Throws 403 unless a member has confirmed within the last minutes that it is they. */
export function demandStepUp(member: Member): void {
  if (!isSteppedUp(member)) throw forbidden('Confirm first that it is you: by a passkey, or at your identity provider.')
}
