import { z } from 'zod'
import * as certificates from '#sql/video/certificates.ts'
import { task } from '../queue/task.ts'
import { enqueueCertificate } from './certify-domain.ts'

const atOnce = 20

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
