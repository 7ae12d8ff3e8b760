import type { Db } from '#sql/db.ts'
import { flattenSteps } from '#sql/notify/flat-steps.ts'
import * as people from '#sql/notify/people.ts'
import * as steps from '#sql/notify/run-steps.ts'
import type * as runs from '#sql/notify/runs.ts'
import * as users from '#sql/notify/users.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

type EndedRun = Pick<
  runs.Run,
  'id' | 'org_id' | 'workflow' | 'version' | 'event_id' | 'user_id' | 'state' | 'reason'
> & { subject?: string | null }

export async function emitEndedRuns(tx: Db, ended: readonly EndedRun[]): Promise<void> {
  const unnamed = ended.filter(({ subject }) => subject === undefined)
  const known = new Map(
    (await people.findMany(tx, unnamed)).map((person) => [users.getPersonName(person), person.subject]),
  )
  await emitMany(
    tx,
    ended.map((run) => ({
      orgId: run.org_id,
      type: 'notify.run.ended' as const,
      data: {
        id: run.id,
        workflow: run.workflow,
        version: run.version,
        event_id: run.event_id,
        user_id: run.subject ?? known.get(users.getPersonName(run)) ?? run.user_id,
        state: run.state,
        reason: run.reason,
      },
    })),
  )
}

/** Records that the next step of runs without attempts left has failed. */
export async function recordFailedRuns(tx: Db, failed: readonly runs.Run[], error: Error): Promise<void> {
  const found = await versions.findMany(tx, failed)
  await steps.recordMany(
    tx,
    failed.map((run) => {
      const version = found.find((one) => one.workflow_id === run.workflow_id && one.version === run.version)
      const step = flattenSteps(version?.steps ?? [])[run.step]?.step
      return {
        run_id: run.id,
        number: run.step,
        org_id: run.org_id,
        type: step?.type ?? 'channel',
        channel: step?.type === 'channel' ? step.channel : null,
        state: 'failed' as const,
        reason: 'given_up',
        detail: `All attempts failed: ${error.name}.`,
        message_id: null,
        text_locale: null,
        text_version: null,
        due_at: null,
      }
    }),
  )
}
