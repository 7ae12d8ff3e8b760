import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { task } from '../queue/task.ts'
import { emit } from '../webhooks/rules/emit.ts'
import { eventOf } from './rules/keys.ts'

/** Days before a key's end from which on its organisation is told. */
const daysAhead = 7

/** Keys that one transaction tells of. */
const batch = 100

/** Tells of keys that end soon, each once for its end. */
export const tellExpiringKeys = task({
  name: 'account/tell-expiring-keys',
  pool: 'core',
  payload: z.object({}),
  cron: '23 * * * *',
  async run(_, { db }) {
    for (let told = batch; told === batch; ) {
      told = await db.transaction(async (tx) => {
        const ending = await keys.takeExpiring(tx, daysAhead, batch)
        for (const key of ending) await emit(tx, key.org_id, 'account.key.expiring', eventOf(key))
        return ending.length
      })
    }
  },
})
