import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as certificates from '#sql/video/certificates.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { AuthorityFault } from './rules/domains/certificate-authority.ts'
import { orderCertificate } from './rules/domains/order-certificate.ts'
import { scheduleRetry } from './rules/domains/retry-schedule.ts'

const minute = 60_000

/** Duration of a lease in milliseconds. Longer than one attempt and the wait for the next attempt. */
const leaseMs = 3 * minute

/** Interval for checking the setting while no authority is configured. */
const offMs = 60 * minute

/** Orders the first or next certificate of a verified domain. Does nothing if no certificate is due. */
export const certifyDomain = task({
  name: 'video/certify-domain',
  pool: 'core',
  payload: z.object({ domainId: Id }),
  tracked: true,
  timeout: 1.5 * minute,
  async run({ domainId }, tools) {
    const { own, certificates: issuer, runId, log } = tools
    const work = await own((tx) => certificates.claim(tx, domainId, runId as string, leaseMs))
    if (!work) return
    if ('lacks' in issuer) {
      const off = { state: 'off' as const, reason: issuer.lacks, dueMs: offMs, askMs: 0, failures: 0 }
      return await own((tx) => certificates.scheduleRetry(tx, domainId, off))
    }
    try {
      await orderCertificate(work, issuer, tools)
    } catch (error) {
      if (!(error instanceof AuthorityFault)) throw error
      log.warn(
        { hostname: work.hostname, kind: error.kind, err: error.message },
        'certificate of a domain could not be issued; retrying',
      )
      await own((tx) => scheduleRetry(tx, work, error, issuer.authority.directoryUrl))
    }
  },
  async giveUp({ domainId }, _, { db }) {
    const reason = 'The order was stopped; retrying.'
    const again = { state: 'failed' as const, reason, dueMs: 30 * minute, askMs: minute, failures: 1 }
    await certificates.scheduleRetry(db, domainId, again)
  },
  async revive({ domainId }, { db }) {
    await certificates.request(db, domainId)
  },
})

/** Time in milliseconds after which another job is added for a waiting job. */
const queuedMs = 10 * minute

export async function enqueueCertificate(tx: Db, domainId: string, orgId: string): Promise<void> {
  if (!(await certificates.lockUnleased(tx, domainId))) return
  const about = { orgId, subject: domainId, key: `certify:${domainId}` }
  const runId = await enqueue(tx, certifyDomain, { domainId }, about)
  await certificates.lease(tx, domainId, runId, queuedMs)
}
