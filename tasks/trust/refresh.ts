import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as feeds from '#sql/trust/feeds.ts'
import { task } from '../queue/task.ts'
import { safeBrowsing, urlhaus } from './rules/known-feeds.ts'
import { scheduleImport } from './rules/schedule-import.ts'

export const refresh = task({
  name: 'trust/refresh',
  pool: 'web',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    if (config.URLHAUS_AUTH_KEY !== undefined) await feeds.ensure(db, urlhaus)
    if (config.SAFE_BROWSING_KEY !== undefined) await feeds.ensure(db, safeBrowsing)
    await db.transaction(async (tx) => {
      for (const feedId of await feeds.takeDue(tx, 20)) await scheduleImport(tx, feedId)
    })
  },
})
