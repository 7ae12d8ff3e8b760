import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as editions from '#sql/notify/editions.ts'
import * as events from '#sql/notify/events.ts'
import * as runs from '#sql/notify/runs.ts'
import type { Version } from '#sql/notify/workflow-versions.ts'
import { getFact } from './conditions.ts'
import { collectsEvents, type EventDraft } from './draw-up.ts'
import { toKeyText } from './key-text.ts'
import { enqueueSteps } from './step-jobs.ts'

/**
 * Starts the runs of events that start a workflow, or adds the events to a run that collects events. Returns the run of
 * each event.
 */
export async function startRuns(tx: Db, drafts: readonly EventDraft[]): Promise<ReadonlyMap<string, string>> {
  const starting = drafts.flatMap((draft) => (draft.workflow ? [{ draft, version: draft.workflow }] : []))
  if (starting.length === 0) return new Map()
  const editionOf = await editions.getEditions(
    tx,
    starting.map(({ draft }) => draft.row.org_id),
  )
  const wanted = starting.map(({ draft, version }) => ({
    draft,
    version,
    run: runOf(draft, version, editionOf.get(draft.row.org_id) ?? 0),
  }))
  const alone = wanted.filter(({ version }) => !collectsEvents(version)).map(({ run }) => run)
  await runs.insertMany(tx, alone)
  const joined = await join(
    tx,
    wanted.filter(({ version }) => collectsEvents(version)).map(({ run }) => run),
  )
  await enqueueSteps(tx, [...alone, ...joined.begun])
  return new Map([...alone.map((run) => [run.event_id, run.id] as const), ...joined.runOf])
}

function runOf({ row, wanted, known }: EventDraft, version: Version, edition: number): runs.NewRun {
  const { email, push, fromDomains, appLock } = wanted
  const [first] = version.steps
  return {
    id: row.run_id ?? newId(),
    org_id: row.org_id,
    workflow_id: version.workflow_id,
    workflow: version.key,
    version: version.version,
    event_id: row.id,
    user_id: row.user_id,
    key_id: row.key_id,
    person_id: known?.id ?? null,
    recipient: {
      ...(email && { email: { to: email.to, isContact: email.isContact, from: email.from ?? null } }),
      ...(push && { push_app_id: push.appId }),
      ...(fromDomains && { from_domains: [...fromDomains] }),
      ...(appLock !== undefined && { app_lock: appLock }),
    },
    edition,
    digest_key: first?.type === 'digest' ? toKeyText(first.key ? getFact({ data: row.data }, first.key) : '') : null,
  }
}

/** Joins each event to the run that collects for its workflow, person and key. The first event starts the run. */
async function join(tx: Db, wanted: readonly runs.NewRun[]) {
  const nameOf = ({ workflow_id, user_id, digest_key }: Pick<runs.NewRun, 'workflow_id' | 'user_id' | 'digest_key'>) =>
    JSON.stringify([workflow_id, user_id, digest_key])
  const firsts = new Map(wanted.toReversed().map((run) => [nameOf(run), run]))
  const found = await runs.joinMany(tx, [...firsts.values()])
  const idOf = new Map(found.map((one) => [nameOf(one), one.id]))
  const runOfEvent = wanted.map((run) => [run.event_id, idOf.get(nameOf(run)) as string] as const)
  await events.setRuns(
    tx,
    runOfEvent.map(([id, run_id]) => ({ id, run_id })),
  )
  const isNew = new Set(found.filter(({ is_new }) => is_new).map(({ id }) => id))
  return { begun: [...firsts.values()].filter(({ id }) => isNew.has(id)), runOf: runOfEvent }
}
