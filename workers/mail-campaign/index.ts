import { config } from '#lib/config.ts'
import { createMailEngine, lacksSecret } from '../mail/engine.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'

/** The pool of subscribed and repermission mail. */
export const mailCampaign: PoolDeclaration<'mail-campaign'> = {
  concurrency: config.MAIL_CONCURRENCY,
  lacks: lacksSecret,
  tools: async ({ db, ends, workerId }) => {
    const mail = createMailEngine('campaign', workerId, db)
    ends.defer(() => mail.close())
    return { mail }
  },
}
