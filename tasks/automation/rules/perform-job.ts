import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Run } from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import type { TaskSignature } from '../../queue/task.ts'

/** Maximum number of runs per job. */
const maxRuns = 100

const runIds = z.object({ runIds: z.array(Id).max(maxRuns) })

export const performJob: TaskSignature<typeof runIds, 'core'> = {
  name: 'automation/perform',
  pool: 'core',
  payload: runIds,
  attempts: 8,
  tracked: false,
}

/** Enqueues the actions of runs. Each job has runs of one organisation, up to `each`. */
export async function enqueueRuns(
  tx: Db,
  waiting: readonly Pick<Run, 'id' | 'org_id'>[],
  { each = maxRuns }: { each?: number } = {},
): Promise<void> {
  const jobs = [...Map.groupBy(waiting, ({ org_id }) => org_id)].flatMap(([orgId, ofOrg]) =>
    Array.from({ length: Math.ceil(ofOrg.length / each) }, (_, i) => ({
      orgId,
      runIds: ofOrg.slice(i * each, (i + 1) * each).map(({ id }) => id),
    })),
  )
  await enqueueMany(
    tx,
    performJob,
    jobs.map(({ runIds }) => ({ runIds })),
    (i) => ({ orgId: jobs[i]?.orgId as string }),
  )
}
