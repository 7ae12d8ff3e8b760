import { z } from 'zod'
import { requireVariable } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import type { Seal } from '#lib/seal.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { forwardRequests } from './rules/forward.ts'
import { countFreeJobs, lateMs } from './rules/free-jobs.ts'
import { createSourceSeal } from './rules/source-secrets.ts'

/**
 * Forwards the held requests of a source in the order of their arrival. A source that was paused is active again when
 * none is left. Stops if the source is paused again.
 */
export const release = task({
  name: 'intake/release',
  pool: 'core',
  payload: z.object({ sourceId: Id, orgId: Id }),
  attempts: 20,
  timeout: 10 * 60_000,
  async run({ sourceId, orgId }, { db, signal }) {
    const seal = createSourceSeal(requireVariable('SIGNING_SECRET'))
    for (;;) {
      signal.throwIfAborted()
      const room = await countFreeJobs(db, orgId)
      if (room <= 0) return await enqueueRelease(db, { id: sourceId, org_id: orgId }, new Date(Date.now() + lateMs))
      if (!(await releaseSome(db, { sourceId, orgId, room, seal }))) return
    }
  },
})

interface Part {
  sourceId: string
  orgId: string
  room: number
  seal: Seal
}

/** Returns false if nothing is left to do. */
const releaseSome = (db: DatabasePool, { sourceId, orgId, room, seal }: Part): Promise<boolean> =>
  db.transaction(async (tx) => {
    const source = await sources.lock(tx, orgId, sourceId)
    if (!source || source.status === 'paused') return false
    const held = await requests.listHeld(tx, sourceId, room)
    if (held.length > 0) {
      await forwardRequests(tx, held, new Map([[sourceId, source]]), { seal })
      const ids = held.map(({ id }) => id)
      await requests.release(tx, ids, source.forward === null ? 'stored' : 'forwarded')
      return true
    }
    if (source.status === 'resuming') await sources.update(tx, orgId, sourceId, { status: 'active' })
    return false
  })

/** Adds the job that forwards held requests. Only one such job per source waits. */
export async function enqueueRelease(tx: Db, { id, org_id }: { id: string; org_id: string }, at?: Date): Promise<void> {
  const options = { orgId: org_id, key: `intake:${id}`, ...(at && { at }) }
  await enqueue(tx, release, { sourceId: id, orgId: org_id }, options)
}

/** Resumes a paused source, starting with its held requests. Returns null if the source does not exist. */
export async function resumeSource(tx: Db, orgId: string, id: string): Promise<sources.Source | null> {
  const source = await sources.lock(tx, orgId, id)
  if (source?.status !== 'paused') return source
  await enqueueRelease(tx, source)
  return await sources.update(tx, orgId, id, { status: 'resuming' })
}
