import { setTimeout as pause } from 'node:timers/promises'
import * as closures from '#sql/account/closures.ts'
import * as fences from '#sql/account/move/fences.ts'
import * as moves from '#sql/account/move/moves.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import { disableTriggers } from '#sql/account/move/rows.ts'
import * as orgs from '#sql/account/orgs.ts'
import { getJobTable, removeOfOrg } from '#sql/jobs/of-org.ts'
import { queues } from '../../pools.ts'
import { afterOrganisation, beforeOrganisation } from './closure-plan.ts'
import { type PurgeTools, purgeTable } from './purge.ts'

const stride = 512

const steps: readonly {
  name: string
  run(work: closures.ClosureProgress, from: number, means: PurgeTools): Promise<void>
}[] = [
  { name: 'jobs', run: removeJobs },
  ...beforeOrganisation.map((name) => step(name)),
  { name: 'organisation', run: removeOrganisation },
  ...afterOrganisation.map((name) => step(name)),
  { name: 'jobs added meanwhile', run: removeJobs },
]

function step(name: string) {
  return {
    name,
    run: (work: closures.ClosureProgress, from: number, means: PurgeTools) => purgeTable(work, name, from, means),
  }
}

/**
 * Deletes all data of a closed organisation: pending jobs, rows with their stored bytes, the organisation, and rows of
 * tables that only have its ID. Continues an interrupted run. Each step can run twice.
 */
export async function closeOrganisation(
  work: closures.ClosureProgress,
  means: Omit<PurgeTools, 'catalogue' | 'hasMoved'>,
): Promise<void> {
  const { db, signal } = means
  // If the organisation moved to a cell with the same bucket, that cell still uses its objects. Triggers that delete
  // and count objects are then disabled.
  const moved = await moves.findMoved(db, work.org_id)
  const hasMoved = moved !== null
  const storage = moved?.objects === 'shared' ? untouched(means.storage) : means.storage
  const catalogue = await owned.readCatalogue(db)
  const begun = steps.findIndex(({ name }) => name === work.step)
  for (const [i, { name, run }] of steps.entries()) {
    if (i < begun) continue
    signal.throwIfAborted()
    const from = i === begun ? work.block : 0
    if (i !== begun) await closures.advance(db, work.id, name, 0)
    await run(work, from, { ...means, storage, hasMoved, catalogue })
  }
  // If an error occurs, the closure is retried, so that no table keeps a fence.
  if (moved) await fences.lower(db, moved.id)
  await db.transaction(async (tx) => {
    await closures.finish(tx, work.id)
    if (moved) await moves.endLeaving(tx, work.org_id)
  })
}

function untouched(storage: PurgeTools['storage']): PurgeTools['storage'] {
  return {
    clear: async () => ({ objects: 0, bytes: 0 }),
    multipart: { abort: async () => {} },
  } as unknown as typeof storage
}

async function removeJobs(work: closures.ClosureProgress, _: number, { db, signal }: PurgeTools): Promise<void> {
  for (const queue of queues) {
    const blocks = await owned.countBlocks(db, getJobTable(queue))
    for (let from = 0; from < blocks; from += stride) {
      signal.throwIfAborted()
      const begun = performance.now()
      await db.transaction(async (tx) => {
        await owned.limitToIndexes(tx)
        await closures.count(tx, work.id, { jobs: await removeOfOrg(tx, queue, work.org_id, [from, from + stride]) })
      })
      await pause(performance.now() - begun)
    }
  }
}

async function removeOrganisation(
  { id, org_id }: closures.ClosureProgress,
  _: number,
  { db, hasMoved }: PurgeTools,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (hasMoved) await disableTriggers(tx)
    await closures.countRows(tx, id, 'account.orgs', await orgs.remove(tx, org_id))
  })
}
