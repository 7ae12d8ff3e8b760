import { type DatabasePool, sql } from '#sql/db.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { notifying, notifyWorker, type Teller } from './people.ts'

/** A step as requests have it. */
export type StepForm = Record<string, unknown>

/** The area with a worker, and what tests of workflows do with it. */
export async function flowing(t: TestScope) {
  const ground = await notifying(t)
  await notifyWorker(t, ground.databaseUrl)
  let made = 0
  return {
    ...ground,
    /** One more organisation that may send mail. */
    sender: () => ground.teller({ domain: `flow${++made}.example` }),
    ...helpers(ground.db),
  }
}

/** What tests of workflows do in a database. */
export function helpers(db: DatabasePool) {
  return {
    /** Writes and publishes a workflow that events of the tests start. */
    async flow(one: Teller, steps: readonly StepForm[], facts: Record<string, unknown> = {}, key = 'flow') {
      const body = { name: 'A flow', product_key: 'shop', type: 'order.shipped', steps, ...facts }
      const written = await one.ask(`PUT /v1/notify/workflows/${key}`, { body })
      if (written.status !== 200) throw new Error(written.text)
      const published = await one.ask(`POST /v1/notify/workflows/${key}/publish`)
      if (published.status !== 200) throw new Error(published.text)
      return published.body
    },
    /** Tells a person, which starts a run; returns its id. */
    async start(one: Teller, userId: string, facts: Record<string, unknown> = {}): Promise<string> {
      const told = await one.tell(userId, facts)
      if (!told.body.run_id) throw new Error(told.text)
      return told.body.run_id
    },
    /** What the clock does when a wait ends: its job is due. */
    async comes(runId: string, jobs = 1): Promise<void> {
      await db.query(sql.typeAlias('void')`update notify.runs set due_at = now() where id = ${runId}`)
      await Promise.all(Array.from({ length: jobs }, () => enqueue(db, takeSteps, { runIds: [runId] })))
    },
    /** A run once `isSo`, with its trace. */
    run: (one: Teller, id: string, isSo: (run: RunReply) => boolean = ({ state }) => state !== 'waiting') =>
      until(async () => {
        const { body } = await one.ask(`GET /v1/notify/runs/${id}`)
        return isSo(body) ? (body as RunReply) : false
      }),
    /** Waits until the last step of a run is a wait that lasts. */
    parked: (run: RunReply) => run.steps.at(-1)?.state === 'waiting',
  }
}

/** A run as the API has it. */
export interface RunReply {
  state: string
  reason: string | null
  steps: {
    step: number
    type: string
    channel: string | null
    state: string
    reason: string | null
    message_id: string | null
    text_locale: string | null
    text_version: number | null
  }[]
}

/** A trace in short: each step, what became of it, and why. */
export const traceOf = ({ steps }: RunReply): string[] =>
  steps.map(({ type, channel, state, reason }) => [channel ?? type, state, reason].filter(Boolean).join(' '))
