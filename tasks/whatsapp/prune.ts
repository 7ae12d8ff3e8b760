import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as contacts from '#sql/whatsapp/contacts.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const dayMs = 24 * 60 * 60_000

/** Forgets messages with their statuses, and people who have not written for as long. */
export const prune = task({
  name: 'whatsapp/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '41 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    const days = config.WHATSAPP_HISTORY_DAYS
    await inBatches(signal, (limit) => messages.prune(db, new Date(Date.now() - days * dayMs), limit), 1_000)
    await inBatches(signal, (limit) => contacts.prune(db, days, limit), 1_000)
    await inBatches(signal, (limit) => conversations.prune(db, days, limit), 1_000)
    await inBatches(signal, (limit) => receivers.prune(db, days, limit), 1_000)
  },
})
