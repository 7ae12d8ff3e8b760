import { z } from 'zod'
import { config } from '#lib/config.ts'
import { askAgainDays } from '#sql/email/asking.ts'
import * as contents from '#sql/email/contents.ts'
import * as messages from '#sql/email/messages.ts'
import * as pastAsked from '#sql/email/past-asked.ts'
import * as pastRecipients from '#sql/email/past-recipients.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Attachments make contents large, so a statement takes fewer of them. */
const contentBatch = 1_000

/** Days that the links of a message work, at least: people unsubscribe by old mail. */
const linkDaysAtLeast = 400

/** Forgets what messages say, and later the messages with their delivery routes, in their time. */
export const prune = task({
  name: 'email/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '23 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => contents.prune(db, config.EMAIL_CONTENT_DAYS, limit), contentBatch)
    await inBatches(signal, (limit) => sandboxes.prune(db, limit))
    await inBatches(signal, (limit) => messages.prune(db, config.EMAIL_MESSAGE_DAYS, limit))
    const linkDays = Math.max(linkDaysAtLeast, config.EMAIL_MESSAGE_DAYS)
    await inBatches(signal, (limit) => pastRecipients.prune(db, linkDays, limit))
    await inBatches(signal, (limit) => pastAsked.prune(db, askAgainDays, limit))
  },
})
