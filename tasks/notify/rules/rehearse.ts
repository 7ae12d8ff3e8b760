import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as connections from '#sql/notify/connections.ts'
import * as editions from '#sql/notify/editions.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import type { NewRunStep, RunStep } from '#sql/notify/run-steps.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import * as texts from '#sql/notify/texts.ts'
import type { Workflow } from '#sql/notify/workflows.ts'
import { listLocales } from './locales.ts'
import { getPersonId } from './person-id.ts'
import type { StepContext } from './step-ground.ts'
import type { StepMessage } from './step-text.ts'
import { startWalk } from './walk.ts'

/** Event of a rehearsal. */
export interface RehearsedEvent {
  userId: string
  title: string
  body: string | null
  url: string | null
  data: Readonly<Record<string, string>>
}

export interface RehearsedStep extends NewRunStep {
  /** Message that the step would send. */
  said: StepMessage | undefined
}

export interface Rehearsal {
  steps: readonly RehearsedStep[]
  isKnown: boolean
  state: DueRun['state']
}

/**
 * Runs the draft of a workflow without sending, storing or waiting: each channel accepts its message, and the person
 * reads nothing. Uses the current directory, preferences and texts.
 */
export async function rehearse(db: Db, workflow: Workflow, event: RehearsedEvent): Promise<Rehearsal> {
  let run = firstRun(workflow, event)
  const ground = await readGround(db, workflow, run)
  const said = new Map<number, StepMessage>()
  const results = new Map<number, NewRunStep>()
  // Each wait starts the walk again. A walk passes at least one step.
  for (let waits = 0; run.state === 'waiting' && waits <= workflow.steps.length; waits++) {
    const walk = startWalk(run, { ...ground, ...standingOf(results) }, run.due_at)
    for (let message = walk.next(); message !== undefined; message = walk.next()) {
      said.set(walk.run.step, message.said)
      walk.told(message, { status: 'accepted', reason: null, detail: null, message_id: null })
    }
    const end = walk.end()
    for (const step of end.trace) results.set(step.number, step)
    run = end.run
  }
  const steps = [...results.values()].map((step) => ({ ...step, said: said.get(step.number) }))
  return { steps, isKnown: ground.person !== undefined, state: run.state }
}

/** Returns what later steps see of the earlier steps. */
function standingOf(results: ReadonlyMap<number, NewRunStep>): Pick<StepContext, 'standing' | 'trace'> {
  const past: RunStep[] = [...results.values()].map((step) => ({ ...step, at: new Date() }))
  const hasItem = past.some(({ channel, state }) => channel === 'in_app' && state === 'done')
  return { trace: past, standing: hasItem ? { read_at: null, seen_at: null, archived_at: null } : undefined }
}

function firstRun(workflow: Workflow, { userId, ...said }: RehearsedEvent): DueRun {
  const { id: workflow_id, org_id, key, product_key, type, version } = workflow
  const now = new Date()
  return {
    ...{ id: newId(), org_id, workflow_id, workflow: key, version, event_id: newId(), product_key, type },
    ...{ user_id: getPersonId(userId), subject: userId, key_id: null, person_id: null, recipient: {}, edition: 0 },
    ...{ digest_key: null, gathering: false, state: 'waiting', reason: null, step: 0, begun: false },
    ...{ due_at: now, created_at: now, ended_at: null },
    ...said,
  }
}

async function readGround(db: Db, workflow: Workflow, run: DueRun): Promise<StepContext> {
  const { org_id, steps, fallback_locale, key, product_key, type, id: workflow_id, created_at } = workflow
  const person = (await people.find(db, run)) ?? undefined
  const edition = (await editions.getEditions(db, [org_id])).get(org_id) ?? 0
  const types = [...new Set(steps.flatMap((step) => (step.type === 'channel' ? (step.text ?? type) : [])))]
  const wanted = types.flatMap((one) =>
    listLocales(person?.locale, fallback_locale).map((locale) => ({ org_id, type: one, locale, edition })),
  )
  const found = await texts.findAtEditions(db, wanted)
  const connectionFor = await connections.findForPeople(db, [{ org_id, connection_ids: person?.connection_ids ?? [] }])
  const held = await preferences.findMany(db, [run])
  return {
    version: {
      ...{ workflow_id, version: run.version, org_id, key, product_key, type, fallback_locale, steps, created_at },
      is_current: true,
    },
    person,
    keyIsLive: true,
    orgIsClosing: false,
    preferences: held.filter((one) => one.type === type || one.type === preferences.anyType),
    gathered: { count: 1, events: [run] },
    standing: undefined,
    trace: [],
    connectionOf: (kind) => connectionFor({ org_id, connection_ids: person?.connection_ids ?? [] }, kind),
    textOf: (wantedType, locale) => found.find((one) => one.type === wantedType && one.locale === locale),
  }
}
