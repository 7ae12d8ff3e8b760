import { config } from '#lib/config.ts'
import { lacksSecret, mailTools } from '../mail/tools.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

/** The pool of transactional and security mail. */
export const mailTransactional: PoolDeclaration<'mail-transactional'> = {
  concurrency: config.MAIL_CONCURRENCY,
  lacks: lacksSecret,
  tools: mailTools,
}
