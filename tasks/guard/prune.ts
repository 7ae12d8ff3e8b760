import { z } from 'zod'
import * as challenges from '#sql/guard/challenges.ts'
import * as hourly from '#sql/guard/hourly.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const countedDays = 90

const hourMs = 60 * 60_000

/** Hours that challenges and tokens are kept: for a day a token that is given again is known as replayed. */
const keptHours = 26

/** Forgets challenges and tokens, of which the counts by the hour are kept. */
export const prune = task({
  name: 'guard/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '37 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    const before = new Date(Date.now() - keptHours * hourMs)
    await inBatches(signal, (limit) => challenges.prune(db, before, limit))
    await inBatches(signal, (limit) => tokens.prune(db, before, limit))
    await hourly.prune(db, new Date(Date.now() - countedDays * 24 * hourMs))
  },
})
