import { LookupFailed } from '#lib/dns.ts'
import { notFound } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/video/domains.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { dns } from '../playback/services.ts'

/** The proof is not there. */
export const unproven = problem(409, 'domain_not_proven', 'The TXT record is missing or has another value.')

/** Nobody can tell now whether it is. */
export const lookupFailed = problem(409, 'dns_lookup_failed', 'The name servers of the domain did not respond.')

/** It is there, and another organisation’s, too. */
export const taken = problem(
  409,
  'domain_taken',
  'Another organisation has verified this domain, and its TXT record still exists.',
)

const recordName = (hostname: string) => `_millrace-verify.${hostname}`
const recordValue = (token: string) => `millrace-domain-verification=${token}`

/** The TXT record that proves a claim. */
export const recordOf = ({ hostname, token }: Pick<domains.Domain, 'hostname' | 'token'>) => ({
  name: recordName(hostname),
  value: recordValue(token),
})

/** All texts where the proof must be, among them the proof; throws 409 with what is wrong. */
export async function proofs({ hostname, token }: domains.Domain, services: Services): Promise<string[]> {
  const name = recordName(hostname)
  const texts = await services(dns)
    .texts(name)
    .catch((error: Error) => {
      if (error instanceof LookupFailed) throw lookupFailed(`${error.message} Try again later.`, { name })
      throw error
    })
  const expected = recordValue(token)
  if (texts.includes(expected)) return texts
  const found = texts.slice(0, 5).map((text) => text.slice(0, 255))
  const why =
    found.length === 0
      ? `There is no TXT record at ${name}. A new record can take some minutes to be visible.`
      : `The TXT record at ${name} has another value. A change can take as long as the TTL of the record to be visible.`
  throw unproven(why, { name, expected, found })
}

/**
 * Makes a proven claim the owner's. A former owner whose record is no longer there has lost the domain; of two whose records
 * are both there the first one has it.
 */
export async function takeOver(tx: Db, domain: domains.Domain, texts: readonly string[]): Promise<void> {
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
