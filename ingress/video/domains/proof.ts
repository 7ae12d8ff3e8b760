import { notFound } from '#lib/errors.ts'
import { LookupFailedError } from '#lib/network/dns.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/video/domains.ts'
import type { Services } from '../../http/container.ts'
import { problem } from '../../http/problem-kinds.ts'
import { dns } from '../../playback/services.ts'

export const unproven = problem(409, 'domain_not_proven', 'The TXT record is missing or has a different value.')

export const lookupFailed = problem(409, 'dns_lookup_failed', 'The name servers of the domain did not respond.')

export const taken = problem(
  409,
  'domain_taken',
  'Another organisation has verified this domain, and its TXT record still exists.',
)

const recordName = (hostname: string) => `_millrace-verify.${hostname}`
const recordValue = (token: string) => `millrace-domain-verification=${token}`

export const recordOf = ({ hostname, token }: Pick<domains.Domain, 'hostname' | 'token'>) => ({
  name: recordName(hostname),
  value: recordValue(token),
})

/** Returns all TXT records of the verification name if one matches. Throws 409 with the reason if none matches. */
export async function findProof({ hostname, token }: domains.Domain, services: Services): Promise<string[]> {
  const name = recordName(hostname)
  const texts = await services(dns)
    .texts(name)
    .catch((error: Error) => {
      if (error instanceof LookupFailedError) throw lookupFailed(`${error.message} Try again later.`, { name })
      throw error
    })
  const expected = recordValue(token)
  if (texts.includes(expected)) return texts
  const found = texts.slice(0, 5).map((text) => text.slice(0, 255))
  const why =
    found.length === 0
      ? `There is no TXT record at ${name}. A new record can take some minutes to be visible.`
      : `The TXT record at ${name} has a different value. A change can take as long as the TTL of the record to be visible.`
  throw unproven(why, { name, expected, found })
}

/**
 * Assigns a domain to the organisation. A previous owner loses the domain if its TXT record no longer exists. If both
 * records exist, the first owner keeps the domain.
 */
export async function assignDomain(tx: Db, domain: domains.Domain, texts: readonly string[]): Promise<void> {
  const owner = await domains.lockOwner(tx, domain.hostname)
  if (owner && owner.id !== domain.id) {
    if (texts.includes(recordValue(owner.token))) {
      throw taken('Another organisation has verified this domain, and its TXT record still exists.')
    }
    await domains.unsetVerified(tx, owner.id)
  }
  if (!(await domains.setVerified(tx, domain.id))) throw notFound('domain')
  await domains.notifyChanged(tx, domain.hostname)
}
