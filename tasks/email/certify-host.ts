import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as certificates from '#sql/email/host-certificates.ts'
import * as challenges from '#sql/email/host-challenges.ts'
import { task } from '../queue/task.ts'
import { AuthorityFault } from '../video/rules/domains/certificate-authority.ts'
import { type OrderStore, orderCertificate } from '../video/rules/domains/order-certificate.ts'
import { forgetAccount, getRetry } from '../video/rules/domains/retry-schedule.ts'
import { isOrdered } from './rules/submission-host.ts'

/** Duration of a lease in milliseconds. Longer than one attempt. */
const leaseMs = 3 * 60_000

/** The rows of the installation’s own host names. The host name is the ID. */
const store: OrderStore = {
  // There is one host name, and its failures are spaced.
  countOrder: async () => true,
  setOrder: certificates.setOrder,
  putChallenge: challenges.put,
  async accept(tx, { hostname }, issued) {
    await certificates.setIssued(tx, hostname, issued)
    await challenges.remove(tx, hostname)
  },
}

/** Orders the first or next certificate of the host name at which clients submit email. */
export const certifyHost = task({
  name: 'email/certify-host',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  timeout: 1.5 * 60_000,
  async run(_, tools) {
    const { own, certificates: issuer, db, log } = tools
    const hostname = config.MAIL_SUBMISSION_HOST
    if (hostname === undefined || !isOrdered() || 'lacks' in issuer) return
    await own((tx) => certificates.renewUnsealable(tx, hostname, issuer.seal.mark))
    const work = await own((tx) => certificates.claim(tx, hostname, leaseMs))
    if (!work) return
    try {
      await orderCertificate({ ...work, domain_id: hostname }, issuer, tools, store)
    } catch (error) {
      if (!(error instanceof AuthorityFault)) {
        // The next run continues the order.
        await certificates.release(db, hostname)
        throw error
      }
      log.warn(
        { hostname, kind: error.kind, err: error.message },
        'the certificate for email submission could not be issued; retrying',
      )
      const { dueMs, isOrderLost } = getRetry(error, work.failures)
      await own(async (tx) => {
        if (isOrderLost) await challenges.remove(tx, hostname)
        if (error.kind === 'stranger') await forgetAccount(tx, issuer.authority.directoryUrl)
        const retry = { reason: error.message, dueMs, failures: work.failures + 1, isOrderLost }
        await certificates.scheduleRetry(tx, hostname, retry)
      })
    }
  },
})
