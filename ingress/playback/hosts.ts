import { badRequest, type Problem } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/video/domains.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { getDomainBase, getHost, replaceHost } from './urls.ts'

interface HostRequest {
  org: { id: string }
  origin: string
  body: { host?: string | undefined }
}

/** Names of the local machine (RFC 6761 6.3). */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

const refuse = (issue: string) => badRequest([{ field: 'body.host', issue }])

/**
 * Returns the base URL of each session. Its host is a host of this API or an active domain of the organisation, because
 * a token for any other host does not work.
 */
export async function getPlaybackBases(
  tx: Db,
  calls: readonly HostRequest[],
): Promise<(call: HostRequest) => string | Problem> {
  const hosts = calls.flatMap(({ body }) => body.host ?? [])
  const owned = hosts.length > 0 ? await domains.findOwned(tx, hosts) : []
  const byName = new Map(owned.map((domain) => [domain.hostname, domain]))
  return ({ org, origin, body: { host } }) => {
    const base = getPublicBase(origin)
    if (host === undefined) return base
    const domain = byName.get(host)
    if (domain?.org_id === org.id)
      return domain.active
        ? getDomainBase(host)
        : refuse('must have a certificate: wait until the `status` of the domain is `active`')
    if (!domain && isOurs(host, base, origin)) return replaceHost(base, host)
    return refuse('must be the host of this API or one of your active domains')
  }
}

function isOurs(host: string, ...addresses: string[]): boolean {
  const names = addresses.map(getHost)
  return names.includes(host) || (loopback.has(host) && names.some((name) => loopback.has(name)))
}
