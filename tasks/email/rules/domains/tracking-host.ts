import { isIP } from 'node:net'
import { newId } from '#lib/ids.ts'
import { type Dns, LookupFailedError } from '#lib/network/dns.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { randomText } from '#lib/tokens.ts'
import type { Db } from '#sql/db.ts'
import type { Check, EmailDomain } from '#sql/email/domains.ts'
import * as certificates from '#sql/video/certificates.ts'
import * as hosts from '#sql/video/domains.ts'
import { enqueueCertificate } from '../../../video/certify-domain.ts'
import { trackingTarget } from './records.ts'
import type { ZoneDns } from './zone-dns.ts'

interface HostLookups {
  zone(): Pick<ZoneDns, 'alias'>
  resolver: Pick<Dns, 'addresses'>
}

/** Maximum number of hosts of links per organisation. */
const maxHosts = 200

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Checks that a host of links points to this installation: with a CNAME record, or with the same IP addresses. */
export async function checkTrackingHost(host: string, { zone, resolver }: HostLookups): Promise<Check> {
  try {
    const target = trackingTarget()
    const alias = await zone().alias(host)
    if (alias !== null) {
      return { state: plain(alias) === target ? 'found' : 'different', found: toStorableText(plain(alias), 500) }
    }
    const addresses = await resolver.addresses(host)
    if (addresses.length === 0) return { state: 'missing', found: null }
    const own = isIP(target) ? [target] : await resolver.addresses(target)
    const isOurs = addresses.every((address) => own.includes(address))
    return { state: isOurs ? 'found' : 'different', found: toStorableText(addresses.join(', '), 500) }
  } catch (error) {
    if (error instanceof LookupFailedError) return { state: 'unknown', found: error.message }
    throw error
  }
}

/** Replaces the host of links of a domain. Returns false if the organisation already uses the new host. */
export async function replaceTrackingHost(
  tx: Db,
  orgId: string,
  before: string | null,
  hostname: string | null,
): Promise<boolean> {
  if (before === hostname) return true
  if (before !== null && (await hosts.removeLinkHost(tx, orgId, before))) await hosts.notifyChanged(tx, before)
  if (hostname === null) return true
  const claim = { id: newId(), org_id: orgId, hostname, token: randomText(), purpose: 'links' as const }
  return (await hosts.insert(tx, claim, maxHosts)) !== null
}

/**
 * Assigns the host of links to the organisation and orders its certificate. Call it only for a verified domain, whose
 * record was found. Returns false if another organisation has the host.
 */
export async function claimTrackingHost(
  tx: Db,
  { org_id, tracking_host }: Pick<EmailDomain, 'org_id' | 'tracking_host'>,
): Promise<boolean> {
  const claim = tracking_host === null ? null : await hosts.findByName(tx, org_id, tracking_host)
  if (claim?.purpose !== 'links') return true
  const owner = await hosts.lockOwner(tx, claim.hostname)
  if (owner && owner.id !== claim.id) return false
  if (!claim.verified_at) {
    await hosts.setVerified(tx, claim.id)
    await hosts.notifyChanged(tx, claim.hostname)
  }
  await certificates.request(tx, claim.id)
  await enqueueCertificate(tx, claim.id, org_id)
  return true
}

export const takenHost: Check = { state: 'different', found: 'Another organisation uses this host.' }
