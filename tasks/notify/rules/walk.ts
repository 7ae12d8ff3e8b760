import type { FetchStep } from '#sql/notify/fetch-step.ts'
import { flattenSteps } from '#sql/notify/flat-steps.ts'
import type { NewRunStep } from '#sql/notify/run-steps.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import type { ScheduleStep, ThrottleStep } from '#sql/notify/timed-steps.ts'
import type { BranchStep, Step } from '#sql/notify/workflow-steps.ts'
import { acceptsChannel } from './choose-channels.ts'
import { findUnmetCondition, getFact } from './conditions.ts'
import { findHindrance } from './hindrance.ts'
import { findScheduledTime } from './schedule-time.ts'
import type { StepContext } from './step-ground.ts'
import { getRunFacts, renderStepMessage } from './step-text.ts'
import { type ChannelMessage, getStepRecipient, type SubmitResult } from './tell-channel.ts'

/** Progress of one run. Steps that need the database run at the caller, many at a time. */
export interface RunWalk {
  readonly run: DueRun
  /** Returns the next message or throttle. Undefined if the run waits or has ended. */
  next(): ChannelMessage | ThrottleCheck | undefined
  told(telling: ChannelMessage, told: SubmitResult): void
  /** Continues after a throttle, or ends the run. */
  throttled(check: ThrottleCheck, hasPassed: boolean): void
  end(): RunEnd
}

interface RunEnd {
  run: DueRun
  trace: readonly NewRunStep[]
  /** Name of the `fetch` step that the run has reached. */
  fetching: string | undefined
}

/** A `throttle` step that a run has reached. Runs with the same key are counted together. */
export interface ThrottleCheck {
  step: ThrottleStep
  run: DueRun
  key: string
}

/** Time in milliseconds after which a request of a `fetch` step has ended, whatever its server does. */
const longestFetchMs = 15 * 60_000

type Outcome = Partial<Omit<NewRunStep, 'run_id' | 'number' | 'org_id' | 'type' | 'channel'>> &
  Pick<NewRunStep, 'state'>

/** Continues a run from its current step, with the data at the time `now`. */
export function startWalk(begun: DueRun, ground: StepContext, now: Date): RunWalk {
  const run = { ...begun }
  const trace: NewRunStep[] = []
  const past = [...ground.trace]
  const steps = flattenSteps(ground.version?.steps ?? [])
  let fetching: string | undefined

  function record(step: Step | undefined, outcome: Outcome): void {
    const made: NewRunStep = {
      run_id: run.id,
      number: run.step,
      org_id: run.org_id,
      type: step?.type ?? 'channel',
      channel: step?.type === 'channel' ? step.channel : null,
      ...{ reason: null, detail: null, message_id: null, text_locale: null, text_version: null, due_at: null },
      ...outcome,
    }
    trace.push(made)
    past.push({ ...made, at: now })
  }

  function goOn(to = steps[run.step]?.next ?? run.step + 1): void {
    run.step = to
    run.begun = false
  }

  const factsNow = () => getRunFacts(run, { ...ground, trace: past })

  function stop(reason: string): void {
    record(steps[run.step]?.step, { state: 'skipped', reason })
    Object.assign(run, { state: 'stopped', reason })
  }

  function park(step: Step, until: Date): true {
    run.begun = true
    run.due_at = until
    record(step, { state: 'waiting', due_at: until })
    return true
  }

  /** Waits until the local time of the person. Returns whether the run waits. */
  function schedule(step: ScheduleStep): boolean {
    const zone = ground.person?.time_zone ?? ground.version?.fallback_time_zone ?? 'UTC'
    const until = run.begun ? now : findScheduledTime(step, zone, now)
    if (until > now) return park(step, until)
    record(step, { state: 'done', detail: zone })
    goOn()
    return false
  }

  /** Starts a request, or uses its result. Returns whether the run waits. */
  function fetch(step: FetchStep): boolean {
    const result = ground.fetches.find(({ number }) => number === run.step)
    if (!run.begun || !result || result.status === 'waiting') {
      fetching = step.name
      return park(step, new Date(now.getTime() + longestFetchMs))
    }
    const { status, reason, error } = result
    record(step, { state: status, reason, detail: error })
    if (status === 'done' || step.on_failure !== 'stop') goOn()
    else Object.assign(run, { state: 'stopped', reason: 'fetch_failed' })
    return false
  }

  /** Selects the steps of a branch. */
  function branch(step: BranchStep): void {
    const failed = findUnmetCondition(step.conditions, factsNow())
    record(step, { state: 'done', reason: failed === undefined ? 'steps' : 'else', detail: failed ?? null })
    goOn(failed === undefined ? steps[run.step]?.next : steps[run.step]?.otherwise)
  }

  /** Starts a wait, or ends a wait in progress. Returns whether the run waits. */
  function wait(step: Extract<Step, { type: 'wait' | 'digest' }>): boolean {
    if (!run.begun) return park(step, new Date(now.getTime() + step.minutes * 60_000))
    const was = step.type === 'wait' ? overBy(step.until, ground) : undefined
    record(step, { state: 'done', reason: was ?? null })
    if (was === undefined) goOn()
    else Object.assign(run, { state: 'stopped', reason: was })
    return false
  }

  function channel(step: Extract<Step, { type: 'channel' }>): ChannelMessage | undefined {
    const address = getStepRecipient(run, ground, step.channel)
    if (!acceptsChannel(step.channel, ground.preferences)) record(step, { state: 'skipped', reason: 'preference' })
    else if ('lacks' in address) record(step, { state: 'skipped', reason: address.lacks })
    else {
      const facts = factsNow()
      return { step, run, ground, facts, said: renderStepMessage(step, run, ground, facts) }
    }
    goOn()
    return undefined
  }

  /** True if a step is skipped because a condition is false. A wait in progress continues. */
  function isUnmet(step: Step): boolean {
    if (run.begun || step.type === 'digest' || step.type === 'branch') return false
    const failed = findUnmetCondition(step.conditions, factsNow())
    if (failed === undefined) return false
    record(step, { state: 'skipped', reason: 'condition', detail: failed })
    return true
  }

  /** Runs the next step. Returns its message or throttle, or `parked` if the run waits. Otherwise undefined. */
  function take(): ChannelMessage | ThrottleCheck | 'parked' | undefined {
    const step = steps[run.step]?.step
    if (!step) run.state = 'completed'
    else if (isUnmet(step)) goOn()
    else if (step.type === 'channel') return channel(step)
    else if (step.type === 'throttle') return { step, run, key: step.key ? getFact({ data: run.data }, step.key) : '' }
    else if (step.type === 'branch') branch(step)
    else if (isWaiting(step)) return 'parked'
    return undefined
  }

  function isWaiting(step: Extract<Step, { type: 'wait' | 'digest' | 'schedule' | 'fetch' }>): boolean {
    if (step.type === 'schedule') return schedule(step)
    return step.type === 'fetch' ? fetch(step) : wait(step)
  }

  function next(): ChannelMessage | ThrottleCheck | undefined {
    const over = overNow(run, ground)
    if (over !== undefined && run.state === 'waiting') stop(over)
    while (run.state === 'waiting') {
      const taken = take()
      if (taken === 'parked') break
      if (taken) return taken
    }
    return undefined
  }

  return {
    run,
    next,
    told({ step, said }, { status, reason, detail, message_id }) {
      const state = status === 'accepted' ? 'done' : 'refused'
      const { locale: text_locale = null, version: text_version = null } = said.text ?? {}
      record(step, { state, reason, detail, message_id, text_locale, text_version })
      goOn()
    },
    throttled({ step }, hasPassed) {
      record(step, hasPassed ? { state: 'done' } : { state: 'skipped', reason: 'throttled' })
      if (hasPassed) goOn()
      else Object.assign(run, { state: 'stopped', reason: 'throttled' })
    },
    end: () => ({ run, trace, fetching: run.state === 'waiting' ? fetching : undefined }),
  }
}

/** Returns why no more messages of a run can be sent. Undefined if messages can be sent. */
function overNow({ person_id }: DueRun, ground: StepContext): string | undefined {
  if (!ground.version) return 'workflow_removed'
  return findHindrance(person_id, ground)
}

/** Returns the state of the item that ends the run during a wait. */
function overBy(until: 'unread' | 'unseen' | undefined, { standing }: StepContext): string | undefined {
  if (until === undefined || !standing) return undefined
  if (standing.read_at) return 'read'
  if (standing.archived_at) return 'archived'
  return until === 'unseen' && standing.seen_at ? 'seen' : undefined
}
