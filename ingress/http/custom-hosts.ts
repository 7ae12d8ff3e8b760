import { isIP } from 'node:net'
import type { CustomHosts } from './area.ts'
import { dashboardUrl, ownHost } from './hosts.ts'
import type { Route } from './route.ts'

/** True if a customer owns the host. Routes that work without the database use only the cached hosts. */
export async function isCustomHost(
  host: string,
  { withoutDatabase }: Route,
  customHosts: readonly CustomHosts[],
): Promise<boolean> {
  if (isIP(host) !== 0 || !host.includes('.') || host === ownHost || host === dashboardUrl.hostname) return false
  for (const hosts of customHosts) {
    if (withoutDatabase ? hosts.isOwned(host) : (await hosts.ownerOf(host)) !== undefined) return true
  }
  return false
}
