import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import type { Db } from '#sql/db.ts'
import { getCsrfToken } from '../html/csrf.ts'
import { findSessionLimited } from '../limits/unknown-sessions.ts'
import { isSecureApp, setCookie } from './cookies.ts'
import type { Member } from './member.ts'

export type { Member } from './member.ts'

export const stepUpMinutes = 10

/**
 * Browsers share cookies between all ports of a host. On http, the name contains the port, so that two Millraces on one
 * host have separate cookies. Safari does not store Secure cookies on http.
 */
const cookieName = (ctx: Context): string =>
  isSecureApp() ? '__Host-millrace_app' : `millrace_app_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/**
 * Returns the member of a request, or null if no user is signed in. Extends the session, except for automatic requests
 * of open pages. Throws 429 if the network sends many invalid cookies.
 */
export async function findMember(ctx: Context, db: Db, { isUse = true } = {}): Promise<Member | null> {
  const secret = ctx.cookies.get(cookieName(ctx))
  if (!secret) return null
  const session = await findSessionLimited(ctx, secret, (one) => sessions.find(db, one))
  if (!session) return null
  const idleUntil = (isUse ? await sessions.recordUse(db, session.id) : null) ?? session.idle_until
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
    csrf: getCsrfToken(secret),
    steppedUpAt: session.stepped_up_at,
    told: session.told,
    idleUntil,
    expiresAt: session.expires_at,
  }
}

export interface SignIn {
  userId: string
  orgId: string
  method: sessions.Method
  steppedUp?: boolean
}

/** Starts a session in the browser and ends the browser’s earlier session. */
export async function startSession(
  ctx: Context,
  tx: Db,
  ip: string,
  { steppedUp = false, ...who }: SignIn,
): Promise<void> {
  const before = await findMember(ctx, tx)
  if (before) await sessions.end(tx, before.userId, before.sessionId)
  const agent = ctx.get('user-agent').slice(0, 300)
  const secret = await sessions.begin(tx, { ...who, steppedUp, network: getLoggedNetwork(ip), agent })
  keep(ctx, secret)
}

/** Records that the member has confirmed their identity. Returns what changes in the member’s session. */
export async function stepUp(
  ctx: Context,
  tx: Db,
  member: Pick<Member, 'sessionId'>,
): Promise<Pick<Member, 'csrf' | 'steppedUpAt'>> {
  const secret = await sessions.renew(tx, member.sessionId, { steppedUp: true })
  keep(ctx, secret)
  return { csrf: getCsrfToken(secret), steppedUpAt: new Date() }
}

/** Switches the session to another organisation of the user. The user must be a member. */
export async function switchOrganisation(ctx: Context, tx: Db, member: Member, orgId: string): Promise<void> {
  keep(ctx, await sessions.renew(tx, member.sessionId, { orgId }))
}

export async function endSession(ctx: Context, tx: Db, member: Member): Promise<void> {
  await sessions.end(tx, member.userId, member.sessionId)
  setCookie(ctx, cookieName(ctx), '', { seconds: 0, sameSite: 'Strict' })
}

const keep = (ctx: Context, secret: string) =>
  setCookie(ctx, cookieName(ctx), secret, { seconds: sessions.sessionHours * 3600, sameSite: 'Strict' })

export const isSteppedUp = ({ steppedUpAt }: Member): boolean =>
  steppedUpAt !== null && steppedUpAt.getTime() > Date.now() - stepUpMinutes * 60_000

/** Thrown if a form needs a confirmation. The form’s page then asks for the confirmation and continues. */
export class ConfirmationRequired extends Problem {
  constructor() {
    super(403, 'forbidden', 'Confirm your identity first.')
  }
}

/** Throws `ConfirmationRequired` unless the member has confirmed their identity recently. */
export function requireStepUp(member: Member): void {
  if (!isSteppedUp(member)) throw new ConfirmationRequired()
}
