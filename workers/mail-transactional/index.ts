import { config } from '#lib/config.ts'
import { createMailReader } from '../mail/received/reader.ts'
import { findMissingSecret, mailTools } from '../mail/tools.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

export const mailTransactional: PoolDeclaration<'mail-transactional'> = {
  concurrency: config.MAIL_CONCURRENCY,
  share: { none: 'The connections to each receiving host are limited by leases in the database.' },
  lacks: findMissingSecret,
  async tools(process) {
    const reader = createMailReader()
    process.ends.defer(() => reader.close())
    return { ...(await mailTools(process)), reader, storage: process.storage }
  },
}
