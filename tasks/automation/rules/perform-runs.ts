import { isClosed } from '#sql/account/closures.ts'
import { type Action, actionTypes } from '#sql/automation/actions.ts'
import * as minutes from '#sql/automation/rule-minutes.ts'
import * as rules from '#sql/automation/rules.ts'
import * as runs from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import { actionKinds } from './actions/kinds.ts'
import { findLoop, readDepths } from './depths.ts'
import { type Failure, type FilledRun, isFailure, toEnded } from './outcome.ts'
import { enqueueRuns } from './perform-job.ts'
import { type EventFacts, UnfilledError } from './placeholders.ts'

/** A run whose action can be performed, or must end with a failure. */
interface PreparedRun {
  run: runs.WaitingRun
  rule: rules.Rule
  ready: object | Failure
}

/** Reads waiting runs, fills in their actions and renders them. Needs no transaction. */
export async function prepareRuns(db: Db, runIds: readonly string[]): Promise<readonly PreparedRun[]> {
  const waiting = await readDepths(db, await runs.listWaiting(db, runIds))
  const ruleOf = new Map(
    (await rules.findMany(db, [...new Set(waiting.map(({ rule_id }) => rule_id))])).map((rule) => [rule.id, rule]),
  )
  const closed = new Set<string>()
  for (const orgId of new Set(waiting.map(({ org_id }) => org_id))) if (await isClosed(db, orgId)) closed.add(orgId)
  const filled = waiting.map((run) => fillRun(run, ruleOf.get(run.rule_id) as rules.Rule, closed.has(run.org_id)))
  const prepared: PreparedRun[] = filled.flatMap(({ run, rule, request }) =>
    isFailure(request) ? [{ run, rule, ready: request }] : [],
  )
  for (const type of actionTypes) {
    const group = filled.filter(({ rule, request }) => rule.action.type === type && !isFailure(request))
    if (group.length === 0) continue
    const ready = await actionKinds[type].prepare(db, group)
    prepared.push(...group.map(({ run, rule }, i) => ({ run, rule, ready: ready[i] as object })))
  }
  return prepared
}

function fillRun(run: runs.WaitingRun, rule: rules.Rule, isOrgClosed: boolean): FilledRun<object | Failure> {
  const failed = (code: string, message: string) => ({ run, rule, request: { code, message } })
  if (isOrgClosed) return failed('organisation_closed', 'The organisation is closed.')
  if (rule.state === 'deleted') return failed('rule_deleted', 'The rule was deleted before the run started.')
  if (run.data === null || run.event_created_at === null)
    return failed('event_deleted', 'The event was deleted after its retention, so the action has no data.')
  const loop = findLoop(run)
  if (loop) return { run, rule, request: loop }
  const timestamp = run.event_created_at.toISOString()
  const facts = { id: run.event_id, type: run.event_type, timestamp, data: run.data }
  try {
    return { run, rule, request: fillAction(rule.action, facts) }
  } catch (error) {
    if (error instanceof UnfilledError) return failed('invalid_value', error.message)
    throw error
  }
}

/** Fills in the action of a rule. Throws `UnfilledError` if the event has no value, or the result is not valid. */
export const fillAction = (action: Action, facts: EventFacts): object => actionKinds[action.type].fill(action, facts)

/**
 * Performs the actions of runs that still wait, and ends the runs, in one transaction. Runs whose rule was changed since
 * they were prepared are enqueued again.
 */
export async function performRuns(tx: Db, prepared: readonly PreparedRun[]): Promise<void> {
  const locked = await runs.lockWaiting(
    tx,
    prepared.map(({ run }) => run.id),
  )
  const found = prepared.filter(({ run }) => locked.has(run.id))
  const unchanged = await rules.holdUnchanged(tx, [...new Set(found.map(({ rule }) => rule))])
  const waiting = found.filter(({ rule }) => unchanged.has(rule.id))
  await enqueueRuns(
    tx,
    found.filter(({ rule }) => !unchanged.has(rule.id)).map(({ run }) => run),
  )
  const limited = await findLimited(tx, waiting)
  const ended: runs.EndedRun[] = waiting.filter((one) => limited.has(one)).map(toLimited)
  const due = waiting.filter((one) => !limited.has(one))
  ended.push(
    ...due.flatMap(({ run, rule, ready }) => (isFailure(ready) ? [toEnded(run, rule.action.type, ready)] : [])),
  )
  for (const type of actionTypes) {
    const group = due.filter(({ rule, ready }) => rule.action.type === type && !isFailure(ready))
    if (group.length === 0) continue
    const outcomes = await actionKinds[type].perform(
      tx,
      group.map(({ ready }) => ready),
    )
    ended.push(...group.map(({ run }, i) => toEnded(run, type, outcomes[i] as Failure)))
  }
  await runs.endMany(tx, ended)
}

const minuteOf = ({ created_at }: runs.WaitingRun): number => Math.floor(created_at.getTime() / 60_000)

/** Returns the runs over the limit of their rule in the minute of their event. Retried runs are not limited. */
async function findLimited(tx: Db, waiting: readonly PreparedRun[]): Promise<ReadonlySet<PreparedRun>> {
  const counted = waiting.filter(({ run, ready }) => run.retries === 0 && !isFailure(ready))
  const groups = Map.groupBy(counted, ({ run }) => `${run.rule_id} ${minuteOf(run)}`)
  const wanted = [...groups.values()].map((group) => {
    const { run } = group[0] as PreparedRun
    return {
      ...{ rule_id: run.rule_id, org_id: run.org_id, runs: group.length },
      minute: new Date(minuteOf(run) * 60_000),
    }
  })
  const over = (await minutes.add(tx, wanted)).flatMap(({ rule_id, minute, runs: total }) => {
    const group = groups.get(`${rule_id} ${minute.getTime() / 60_000}`) ?? []
    const most = group[0]?.rule.max_per_minute ?? 0
    const room = Math.max(0, most - (total - group.length))
    return group.slice(room)
  })
  return new Set(over)
}

const toLimited = ({ run, rule }: PreparedRun): runs.EndedRun =>
  toEnded(run, rule.action.type, {
    code: 'limited',
    message: `The rule is limited to ${rule.max_per_minute} runs per minute. Retry the run, or raise \`max_per_minute\`.`,
  })
