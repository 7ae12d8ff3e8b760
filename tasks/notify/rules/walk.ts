import type { NewRunStep } from '#sql/notify/run-steps.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import { acceptsChannel } from './choose-channels.ts'
import { findUnmetCondition } from './conditions.ts'
import { findHindrance } from './hindrance.ts'
import type { StepContext } from './step-ground.ts'
import { getRunFacts, renderStepMessage } from './step-text.ts'
import { type ChannelMessage, getStepRecipient, type SubmitResult } from './tell-channel.ts'

/** Progress of one run. Steps without messages run here. Messages are sent by the caller, many at a time. */
export interface RunWalk {
  readonly run: DueRun
  /** Returns the next message. Undefined if the run waits or has ended. */
  next(): ChannelMessage | undefined
  told(telling: ChannelMessage, told: SubmitResult): void
  end(): { run: DueRun; trace: readonly NewRunStep[] }
}

type Outcome = Partial<Omit<NewRunStep, 'run_id' | 'number' | 'org_id' | 'type' | 'channel'>> &
  Pick<NewRunStep, 'state'>

/** Continues a run from its current step, with the data at the time `now`. */
export function startWalk(begun: DueRun, ground: StepContext, now: Date): RunWalk {
  const run = { ...begun }
  const trace: NewRunStep[] = []
  const past = [...ground.trace]
  const steps = ground.version?.steps ?? []

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

  function goOn(): void {
    run.step++
    run.begun = false
  }

  function stop(reason: string): void {
    record(steps[run.step], { state: 'skipped', reason })
    Object.assign(run, { state: 'stopped', reason })
  }

  /** Starts a wait, or ends a wait in progress. Returns whether the run waits. */
  function wait(step: Exclude<Step, { type: 'channel' }>): boolean {
    if (!run.begun) {
      run.begun = true
      run.due_at = new Date(now.getTime() + step.minutes * 60_000)
      record(step, { state: 'waiting', due_at: run.due_at })
      return true
    }
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
      const facts = getRunFacts(run, { ...ground, trace: past })
      return { step, run, ground, facts, said: renderStepMessage(step, run, ground, facts) }
    }
    goOn()
    return undefined
  }

  /** True if a step is skipped because a condition is false. A wait in progress continues. */
  function isUnmet(step: Step): boolean {
    if (run.begun || step.type === 'digest') return false
    const failed = findUnmetCondition(step.conditions, getRunFacts(run, { ...ground, trace: past }))
    if (failed === undefined) return false
    record(step, { state: 'skipped', reason: 'condition', detail: failed })
    return true
  }

  /** Runs the next step. Returns the message of the step, or `parked` if the run waits. Otherwise undefined. */
  function take(): ChannelMessage | 'parked' | undefined {
    const step = steps[run.step]
    if (!step) run.state = 'completed'
    else if (isUnmet(step)) goOn()
    else if (step.type === 'channel') return channel(step)
    else if (wait(step)) return 'parked'
    return undefined
  }

  function next(): ChannelMessage | undefined {
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
    end: () => ({ run, trace }),
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
