import { config } from '#lib/config.ts'
import { badRequest } from '#lib/errors.ts'
import { findOutboundFault, type OutboundClient, withLoopback } from '#lib/http.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type Db, getDatabaseObject } from '#sql/db.ts'

/** True if an organisation of this installation can use addresses of this machine. */
export const hasLocalOrg = config.WEBHOOK_LOCAL_ORG !== undefined

/** Time in milliseconds for which the ID of the local organisation is used, because every request needs it. */
const localMs = 5_000

const localOrgs = new WeakMap<object, { id: string; until: number }>()

/** True if the webhooks of an organisation can use `http://` and addresses of this machine. */
export async function isLocalOrg(db: Db, orgId: string): Promise<boolean> {
  const name = config.WEBHOOK_LOCAL_ORG
  if (name === undefined) return false
  const database = getDatabaseObject(db)
  const known = localOrgs.get(database)
  if (known && known.until > performance.now()) return known.id === orgId
  const found = await orgs.findByName(db, name)
  if (found) localOrgs.set(database, { id: found.id, until: performance.now() + localMs })
  return found?.id === orgId
}

/** Returns the client for the webhooks of an organisation. */
export async function selectOutbound(
  orgId: string,
  { db, outbound, local }: { db: Db; outbound: OutboundClient; local?: OutboundClient | undefined },
): Promise<OutboundClient> {
  return local && (await isLocalOrg(db, orgId)) ? local : outbound
}

/** Returns the issue of an endpoint’s URL, without a DNS lookup. */
export function findUrlFault(text: string, { local }: { local: boolean }): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be a URL that starts with https://'
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && (config.WEBHOOK_HTTP || local))
  if (!isSecure)
    return 'must start with https://. To use a server on your computer, use a tunnel with an https:// URL, or run Millrace there with npm start. An operator can allow http:// with WEBHOOK_HTTP.'
  if (url.username || url.password) return 'must not contain a user name or a password'
  if (url.hash) return 'must not contain a fragment (#…)'
  return findOutboundFault(url, local ? withLoopback : {})
}

/** Throws 400 if the organisation cannot use the URL. */
export async function demandUrl(db: Db, orgId: string, url: string): Promise<void> {
  const issue = findUrlFault(url, { local: hasLocalOrg && (await isLocalOrg(db, orgId)) })
  if (issue !== undefined) throw badRequest([{ field: 'body.url', issue }])
}
