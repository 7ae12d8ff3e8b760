import { config } from '#lib/config.ts'
import { createMailEngine, lacksSecret } from '../mail/engine.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

/** The pool of transactional and security mail. */
export const mailTransactional: PoolDeclaration<'mail-transactional'> = {
  concurrency: config.MAIL_CONCURRENCY,
  lacks: lacksSecret,
  tools: async ({ db, ends, workerId }) => {
    const mail = createMailEngine('transactional', workerId, db)
    ends.defer(() => mail.close())
    return { mail }
  },
}
