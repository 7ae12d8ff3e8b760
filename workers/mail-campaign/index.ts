import { config } from '#lib/config.ts'
import { findMissingSecret, mailTools } from '../mail/tools.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

export const mailCampaign: PoolDeclaration<'mail-campaign'> = {
  concurrency: config.MAIL_CONCURRENCY,
  share: { none: 'The connections to each receiving host are limited by leases in the database.' },
  lacks: findMissingSecret,
  tools: mailTools,
}
