import { config } from '#lib/config.ts'
import { lacksSecret, mailTools } from '../mail/tools.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

/** The pool of subscribed and repermission mail. */
export const mailCampaign: PoolDeclaration<'mail-campaign'> = {
  concurrency: config.MAIL_CONCURRENCY,
  lacks: lacksSecret,
  tools: mailTools,
}
