import { setTimeout as pause } from 'node:timers/promises'
import * as closures from '#sql/account/closures.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as owned from '#sql/account/owned-rows.ts'
import { jobTableOf, removeOfOrg } from '#sql/jobs/of-org.ts'
import { queues } from '../../pools.ts'
import { afterOrganisation, beforeOrganisation } from './closure-plan.ts'
import { type Means, purgeTable } from './purge.ts'

/** Blocks of a queue that one statement reads. */
const stride = 512

/** The steps of a closure, by what it notes that it is at. */
const steps: readonly { name: string; run(work: closures.Work, from: number, means: Means): Promise<void> }[] = [
  { name: 'jobs', run: removeJobs },
  ...beforeOrganisation.map((name) => step(name)),
  { name: 'organisation', run: removeOrganisation },
  ...afterOrganisation.map((name) => step(name)),
  { name: 'jobs added meanwhile', run: removeJobs },
]

function step(name: string) {
  return { name, run: (work: closures.Work, from: number, means: Means) => purgeTable(work, name, from, means) }
}

/**
 * Deletes all that a closed organisation has: waiting jobs, rows with their bytes, the organisation, and what knows it by its id alone.
 * Goes on where an earlier run ended; each step may run twice.
 */
export async function closeOrganisation(work: closures.Work, means: Omit<Means, 'catalogue'>): Promise<void> {
  const { db, signal } = means
  const catalogue = await owned.readCatalogue(db)
  const begun = steps.findIndex(({ name }) => name === work.step)
  for (const [i, { name, run }] of steps.entries()) {
    if (i < begun) continue
    signal.throwIfAborted()
    const from = i === begun ? work.block : 0
    if (i !== begun) await closures.advance(db, work.id, name, 0)
    await run(work, from, { ...means, catalogue })
  }
  await closures.finish(db, work.id)
}

async function removeJobs(work: closures.Work, _: number, { db, signal }: Means): Promise<void> {
  for (const queue of queues) {
    const blocks = await owned.blocksOf(db, jobTableOf(queue))
    for (let from = 0; from < blocks; from += stride) {
      signal.throwIfAborted()
      const begun = performance.now()
      await db.transaction(async (tx) => {
        await owned.narrow(tx)
        await closures.count(tx, work.id, { jobs: await removeOfOrg(tx, queue, work.org_id, [from, from + stride]) })
      })
      await pause(performance.now() - begun)
    }
  }
}

async function removeOrganisation({ id, org_id }: closures.Work, _: number, { db }: Means): Promise<void> {
  await db.transaction(async (tx) => {
    await closures.countRows(tx, id, 'account.orgs', await orgs.remove(tx, org_id))
  })
}
