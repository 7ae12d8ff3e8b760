import { z } from 'zod'
import * as certificates from '#sql/video/certificates.ts'
import { task } from '../queue/task.ts'
import { enqueueCertificate } from './certify-domain.ts'

/** Domains in one minute; what is left over comes with the next. */
const atOnce = 20

/** Orders what is due: renewals, first certificates that failed, and what a lost job left behind. */
export const renewCertificates = task({
  name: 'video/renew-certificates',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal, certificates: issuer }) {
    if ('seal' in issuer) await certificates.renewUnsealable(db, issuer.seal.mark)
    for (const { domain_id, org_id } of await certificates.listDue(db, atOnce)) {
      signal.throwIfAborted()
      await db.transaction((tx) => enqueueCertificate(tx, domain_id, org_id))
    }
  },
})
