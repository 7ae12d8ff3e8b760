import { z } from 'zod'
import * as keys from '#sql/account/keys/expiring.ts'
import type { Db } from '#sql/db.ts'
import { task } from '../queue/task.ts'
import { emitMany } from '../webhooks/rules/emit.ts'
import { toKeyEvent } from './rules/keys.ts'
import { notifyEach } from './rules/tell-each.ts'

const daysAhead = 7

export const tellExpiringKeys = task({
  name: 'account/tell-expiring-keys',
  pool: 'core',
  payload: z.object({}),
  cron: '23 * * * *',
  async run(_, { db, signal }) {
    await notifyEach(db, await keys.listExpiring(db, daysAhead), tell, signal)
  },
})

async function tell(tx: Db, ending: readonly keys.Expiring[]): Promise<void> {
  const untold = await keys.markReported(
    tx,
    ending.map(({ id }) => id),
    daysAhead,
  )
  await emitMany(
    tx,
    untold.map((key) => ({ orgId: key.org_id, type: 'account.key.expiring', data: toKeyEvent(key) })),
  )
}
