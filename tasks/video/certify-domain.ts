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

/** Longer than an attempt may take and its next one may wait. */
const leaseMs = 3 * minute

/** Without an authority, how often the setting is checked again. */
const offMs = 60 * minute

/** Gets a proven domain its certificate, the first or the next one; returns when none is due. */
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
        'certificate of a domain not issued yet',
      )
      await own((tx) => scheduleRetry(tx, work, error, issuer.authority.directoryUrl))
    }
  },
  async giveUp({ domainId }, _, { db }) {
    const reason = 'The order was stopped and is retried.'
    const again = { state: 'failed' as const, reason, dueMs: 30 * minute, askMs: minute, failures: 1 }
    await certificates.scheduleRetry(db, domainId, again)
  },
  async revive({ domainId }, { db }) {
    await certificates.request(db, domainId)
  },
})

/** How long a job may wait in the queue before another is added for it. */
const queuedMs = 10 * minute

/** Enqueues the order of a domain's certificate, unless a run holds its lease. */
export async function enqueueCertificate(tx: Db, domainId: string, orgId: string): Promise<void> {
  if (!(await certificates.lockUnleased(tx, domainId))) return
  const about = { orgId, subject: domainId, key: `certify:${domainId}` }
  const runId = await enqueue(tx, certifyDomain, { domainId }, about)
  await certificates.lease(tx, domainId, runId, queuedMs)
}
