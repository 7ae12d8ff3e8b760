import type { Context } from 'koa'
import { forbidden } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as audit from '#sql/account/audit.ts'
import * as known from '#sql/account/people/known-places.ts'
import * as members from '#sql/account/people/members.ts'
import type { User } from '#sql/account/people/users.ts'
import type { Db } from '#sql/db.ts'
import { rememberBrowser } from '../http/dashboard/cookies.ts'
import { listSignInOrganisations } from '../http/dashboard/organisations.ts'
import { type Member, type SignIn, startSession } from '../http/dashboard/session.ts'

export interface SignInSource {
  ctx: Context
  ip: string
  requestId: string
}

const actorOf = ({ id, email }: Pick<User, 'id' | 'email'>) => ({ kind: 'user' as const, id, name: email })

/**
 * Returns the only organisation whose sessions a member can see and end. Returns `null` if the member can see the
 * sessions of all organisations.
 */
export const restrictedOrganisation = ({ method, orgId }: Pick<Member, 'method' | 'orgId'>): string | null =>
  method === 'oidc' ? orgId : null

/**
 * Starts a session for a user who has proven their identity. Throws 403 if no organisation accepts the sign-in method.
 * Only users who have proven their identity see this error.
 */
export async function startSignedInSession(
  tx: Db,
  from: SignInSource,
  user: User,
  how: Pick<SignIn, 'method' | 'steppedUp'> & { orgId?: string },
): Promise<void> {
  const places = how.method === 'oidc' ? await members.listOf(tx, user.id) : await listSignInOrganisations(tx, user.id)
  const orgId = (how.orgId === undefined ? places[0] : places.find(({ org_id }) => org_id === how.orgId))?.org_id
  if (orgId === undefined) {
    throw forbidden(
      'This sign-in method is not available for your organisations. Sign in at the identity provider, or request an invitation.',
    )
  }
  await startSession(from.ctx, tx, from.ip, {
    method: how.method,
    steppedUp: how.steppedUp ?? false,
    userId: user.id,
    orgId,
  })
  await known.remember(tx, user.id, { browser: rememberBrowser(from.ctx), network: getLoggedNetwork(from.ip) })
  const { method } = how
  log.info({ user_id: user.id, org_id: orgId, method }, 'user signed in')
  await audit.append(tx, {
    orgId,
    actor: actorOf(user),
    action: 'session.began',
    target: user.id,
    requestId: from.requestId,
    network: getLoggedNetwork(from.ip),
    after: { method },
  })
}

export async function recordRefusedSignIn(
  tx: Db,
  { ip, requestId }: SignInSource,
  user: Pick<User, 'id' | 'email'>,
  why: { method: SignIn['method']; reason: string },
): Promise<void> {
  log.warn({ user_id: user.id, ...why }, 'sign-in rejected')
  for (const { org_id: orgId } of (await members.listOf(tx, user.id)).slice(0, 10)) {
    await audit.append(tx, {
      orgId,
      actor: actorOf(user),
      action: 'session.refused',
      target: user.id,
      requestId,
      network: getLoggedNetwork(ip),
      after: why,
    })
  }
}
