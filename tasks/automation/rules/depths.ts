import { Id } from '#lib/ids.ts'
import * as runs from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import type { Failure } from './outcome.ts'

/** Maximum number of rules whose actions lead to an event that starts a rule. */
const maxDepth = 5

/**
 * Returns the runs with the number of rules that led to their events. Events of an action are stored before its result.
 * So the number is known only after the transaction of the event, which is before the run is performed.
 */
export async function readDepths(db: Db, waiting: readonly runs.WaitingRun[]): Promise<runs.WaitingRun[]> {
  const idsOf = waiting.map(({ data }) => objectIdsOf(data ?? {}))
  const found = await runs.findDepths(db, [...new Set(idsOf.flat())])
  return waiting.map((run, i) => {
    const depths = (idsOf[i] ?? []).map((id) => (found.get(`${run.org_id} ${id}`) ?? -1) + 1)
    return { ...run, depth: Math.max(run.depth, ...depths) }
  })
}

/** Returns why a run is stopped. Undefined if too few rules led to its event. */
export const findLoop = ({ depth }: Pick<runs.WaitingRun, 'depth'>): Failure | undefined =>
  depth > maxDepth
    ? {
        code: 'loop_stopped',
        message: `The event is the result of ${depth} rules in a row. The maximum is ${maxDepth}.`,
      }
    : undefined

/** Returns the IDs of the data’s first level that can be results of actions: events, jobs and messages. */
const objectIdsOf = (data: Readonly<Record<string, unknown>>): string[] =>
  ['id', 'event_id', 'job_id', 'message_id', 'notify_event_id'].flatMap((name) => {
    const id = Id.safeParse(data[name])
    return id.success ? [id.data] : []
  })
