import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as objects from '#sql/files/objects.ts'
import * as isolation from '#sql/files/quarantine.ts'
import * as scanners from '#sql/files/scanners.ts'
import { task } from '../task.ts'
import { enqueueQuarantine } from './quarantine.ts'
import { enqueueRemoval } from './remove.ts'

const atOnce = 200

/** Ends uploads whose bytes did not arrive, and deletes infected bytes that have been in quarantine long enough. */
export const sweep = task({
  name: 'files/sweep',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      for (const object of await objects.deleteAbandoned(tx, atOnce)) await enqueueRemoval(tx, object)
    })
    for (const object of await isolation.listOver(db, config.QUARANTINE_DAYS, atOnce)) {
      const key = object.held_key
      if (!key) continue
      await db.transaction(async (tx) => {
        if (await isolation.letGo(tx, object.id, key)) await enqueueQuarantine(tx, object, key)
      })
    }
    await scanners.forgetOld(db)
  },
})
