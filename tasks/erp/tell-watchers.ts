import { z } from 'zod'
import * as watches from '#sql/erp/watches.ts'
import { task } from '../queue/task.ts'
import { type EmittedEvent, emitMany } from '../webhooks/rules/emit.ts'
import { listChangedFields } from './rules/changed-fields.ts'

const batch = 200

/** Sends `erp.company.changed` for each recorded change of a watched company, once. */
export const tellWatchers = task({
  name: 'erp/tell-watchers',
  pool: 'web',
  payload: z.object({}),
  attempts: 10,
  timeout: 10 * 60_000,
  async run(_, { own, signal }) {
    for (let told = batch; told === batch; ) {
      signal.throwIfAborted()
      told = await own(async (tx) => {
        const changes = await watches.takeChanges(tx, batch)
        await emitMany(tx, changes.map(toEvent))
        return changes.length
      })
    }
  },
})

function toEvent({ org_id, before, after, ...change }: watches.WatchedChange): EmittedEvent {
  const { watch_id, jurisdiction, code, name, note, register, changed_at } = change
  const changes = listChangedFields(before, after)
  const data = { watch_id, jurisdiction, code, name, note, register, changed_at: changed_at.toISOString(), changes }
  return { orgId: org_id, type: 'erp.company.changed', data }
}
