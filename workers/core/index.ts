import { findTask } from '#tasks/index.ts'
import { observeCertificates } from '#tasks/video/rules/domains/certificate-gauges.ts'
import { giveUp } from '../runtime/give-up.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { certificateIssuer } from './certificate-issuer.ts'

export const core: PoolDeclaration<'core'> = {
  concurrency: 24,
  share: { none: 'Jobs are short and wait only for our own database and storage.' },
  lacks: async () => undefined,
  async tools({ db, storage, ends }) {
    ends.defer(observeCertificates(db))
    return {
      storage,
      certificates: await certificateIssuer(),
      async giveUp(name, envelope, error) {
        const task = findTask(name)
        if (task) await giveUp(task, envelope, error, db)
      },
    }
  },
}
