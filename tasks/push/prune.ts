import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as daily from '#sql/push/daily.ts'
import * as messages from '#sql/push/messages.ts'
import * as streamInstallations from '#sql/push/stream-installations.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Days of counts: the most that insights show, and some. */
const dailyDays = 100

/** Days after which a stream ends that nobody has opened, and an invalidated device is forgotten. */
const unusedDays = 90

const dayMs = 24 * 60 * 60_000

/** Messages in one statement: each takes its deliveries and attempts with it. */
const atOnce = 100

/** Forgets messages with all that became of them, counts of days, and devices that are of no use, in their time. */
export const prune = task({
  name: 'push/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '23 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    const before = new Date(Date.now() - config.PUSH_HISTORY_DAYS * dayMs)
    await inBatches(signal, (limit) => messages.prune(db, before, limit), atOnce)
    await inBatches(signal, (limit) => daily.prune(db, dailyDays, limit))
    await inBatches(signal, (limit) => streamInstallations.pruneUnused(db, unusedDays, limit))
    await inBatches(signal, (limit) => streamInstallations.pruneInvalidated(db, unusedDays, limit))
  },
})
