import { notFound, unauthorized } from '#lib/errors.ts'
import { type Caller, findHolder } from '#sql/account/keys.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as portals from '#sql/hooks/portals.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { type PortalSubject, readPortalToken } from '#tasks/hooks/rules/portal-token.ts'
import type { Services } from '../../http/container.ts'
import { organisationMoving } from '../../http/problem-kinds.ts'
import { signingSecret } from '../../http/services.ts'

export interface Holder {
  subject: PortalSubject
  app: portals.Portal
  /** The organisation with the permissions of the token. */
  caller: Caller
}

const scopesOf: Readonly<Record<PortalSubject['capability'], Scope>> = { read: 'hooks:read', manage: 'hooks:write' }

/**
 * Returns the holder of a portal token. Throws 404 for a page and 401 for JavaScript if the token is forged, has
 * expired or was revoked, or if its API key, app or organisation has ended.
 */
export async function findPortalHolder(
  db: DatabasePool,
  services: Services,
  token: string,
  kind: 'page' | 'token',
): Promise<Holder> {
  const subject = readPortalToken(token, services(signingSecret))
  const found = subject && (await load(db, subject))
  if (found) return found
  if (kind === 'page') throw notFound('page')
  throw unauthorized('The portal token is invalid or has expired. Create a new one on your server.')
}

async function load(db: DatabasePool, subject: PortalSubject): Promise<Holder | null> {
  const caller = await findHolder(db, subject.key)
  if (!caller || caller.org.id !== subject.org) return null
  if (caller.org.moving) throw organisationMoving()
  const app = await portals.find(db, subject.org, subject.app)
  return app && app.version === subject.version ? { subject, app, caller: limit(caller, subject) } : null
}

/** Portal users are limited by their IP address. They never use the quota of servers. */
const limit = ({ key, org, plan }: Caller, { capability }: PortalSubject): Caller => ({
  key: { ...key, scopes: [scopesOf[capability]], rate_per_minute: null, makers: [] },
  org,
  plan: { ...plan, ...uncounted },
})

const uncounted = Object.fromEntries(
  plans.limitNames.filter((name) => 'rate' in plans.limits[name]).map((name) => [name, plans.uncountedRequests]),
)
