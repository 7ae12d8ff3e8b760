import { z } from 'zod'
import { requireVariable } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { forwardRequests } from './rules/forward.ts'
import { countFreeJobs, lateMs } from './rules/free-jobs.ts'
import { createSourceSeal } from './rules/source-secrets.ts'

const Replay = z.object({ replayId: Id, sourceId: Id, orgId: Id, after: Id, until: Id })

type Replay = z.infer<typeof Replay>

/**
 * Creates a new job for each request of a source in a period, oldest first. Each run handles one batch. A batch that
 * runs twice creates no second job, because its jobs have dedupe keys.
 */
export const replay = task({
  name: 'intake/replay',
  pool: 'core',
  payload: Replay,
  attempts: 20,
  async run(payload, { db }) {
    const room = await countFreeJobs(db, payload.orgId)
    if (room <= 0) await enqueueReplay(db, payload, new Date(Date.now() + lateMs))
    else await db.transaction((tx) => replaySome(tx, payload, room))
  },
})

async function replaySome(tx: Db, payload: Replay, room: number): Promise<void> {
  const { replayId, sourceId, orgId, after, until } = payload
  const source = await sources.find(tx, orgId, sourceId)
  if (!source?.forward) return
  const found = await requests.listSince(tx, { orgId, sourceId, after, until, limit: room })
  const last = found.at(-1)
  if (!last) return
  const seal = createSourceSeal(requireVariable('SIGNING_SECRET'))
  await forwardRequests(tx, found, new Map([[sourceId, source]]), { seal, replayId })
  const ids = found.map(({ id }) => id)
  await requests.release(tx, ids, 'forwarded')
  await enqueueReplay(tx, { ...payload, after: last.id })
}

export async function enqueueReplay(tx: Db, payload: Replay, at?: Date): Promise<void> {
  const key = `intake-replay:${payload.replayId}`
  await enqueue(tx, replay, payload, { orgId: payload.orgId, key, ...(at && { at }) })
}
