import { randomUUID } from 'node:crypto'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import * as runs from '#sql/notify/runs.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import * as workflows from '#sql/notify/workflows.ts'
import type { EventRequest } from '#tasks/notify/rules/draw-up.ts'
import { recordEvents } from '#tasks/notify/rules/record-events.ts'
import { walkRuns } from '#tasks/notify/rules/walk-runs.ts'
import { type Benchmark, median } from './benchmark.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'

/** Number of events per transaction and of runs per job, as in the product. */
const group = 100

const steps = 3

interface Cost {
  ms: number
  cpuMs: number
}

export const notify: Benchmark = {
  summary: 'a workflow step (inbox, wait, email) compared with a plain inbox event: CPU including Postgres, and time',
  options: {
    events: { about: 'events per round', default: 4_000 },
    rounds: { about: 'rounds', default: 5 },
  },
  async run({ events = 4_000, rounds = 5 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const { orgId } = await makeSender(db, 'a secret of the benchmark, of 32 characters')
    await publish(db, orgId)
    const found: { event: Cost; step: Cost }[] = []
    for (let round = 0; round <= rounds; round++) {
      const event = await costOf(events, () => tell(db, orgId, 'plain', events))
      await tell(db, orgId, 'flow', events)
      const step = await costOf(events * steps, () => walkAll(db))
      // The first round is a warm-up.
      if (round > 0) found.push({ event, step })
    }
    const middle = (of: 'event' | 'step', what: keyof Cost) => median(found.map((one) => one[of][what]))
    return {
      comparisons: (['cpuMs', 'ms'] as const).map((what) => ({
        what: what === 'ms' ? 'time of a step' : 'CPU of a step',
        unit: 'ms',
        limit: middle('event', what),
        product: middle('step', what),
        demand: { atMost: 1.5 },
      })),
      notes: [
        `medians of ${rounds} rounds of ${events} events in groups of ${group}; CPU of this process and Postgres; the event of a workflow adds its own cost`,
      ],
      rounds: found,
    }
  },
}

async function costOf(things: number, work: () => Promise<void>): Promise<Cost> {
  const [begun, before] = [performance.now(), await measureTreeCpu(process.pid)]
  await work()
  const seconds = cpuSum(subtractCpu(before, await measureTreeCpu(process.pid)))
  return { ms: (performance.now() - begun) / things, cpuMs: (seconds * 1_000) / things }
}

async function publish(db: DatabasePool, orgId: string): Promise<void> {
  const draft = {
    org_id: orgId,
    key: 'flow',
    name: 'Flow',
    product_key: 'bench',
    type: 'flow',
    fallback_locale: 'en',
    fallback_time_zone: 'UTC',
  }
  await db.transaction(async (tx) => {
    const written = await workflows.put(tx, {
      ...draft,
      steps: [
        { type: 'channel', channel: 'in_app' },
        { type: 'wait', minutes: 10, until: 'unread' },
        { type: 'channel', channel: 'email' },
      ],
    })
    await versions.publish(tx, written, 1)
  })
}

async function tell(db: DatabasePool, orgId: string, type: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += group) {
    const wanted = Array.from({ length: Math.min(group, count - at) }, () => eventOf(orgId, type))
    await db.transaction((tx) => recordEvents(tx, wanted))
  }
}

const eventOf = (orgId: string, type: string): EventRequest => ({
  org_id: orgId,
  key_id: null,
  user_id: randomUUID(),
  subject: null,
  product_key: 'bench',
  type,
  title: 'Your order is on its way',
  body: 'It arrives tomorrow between 10 and 12.',
  data: { order: '1042' },
  url: null,
  dedupe_key: null,
  channels: undefined,
  email: type === 'flow' ? { to: 'ann@rcpt.example', isContact: false, from: undefined } : undefined,
  push: undefined,
  fromDomains: undefined,
  appLock: undefined,
})

/** Runs all steps of all runs in jobs of many runs. Skips the wait of ten minutes. */
async function walkAll(db: DatabasePool): Promise<void> {
  const waiting = await db.anyFirst(sql.type(runs.Run.pick({ id: true }))`
    select id from notify.runs where state = 'waiting' order by id`)
  for (let at = 0; at < waiting.length; at += group) {
    const ids = waiting.slice(at, at + group)
    await db.transaction((tx) => walkRuns(tx, ids))
    await db.query(
      sql.typeAlias('void')`update notify.runs set due_at = now() where id = any(${sql.array([...ids], 'uuid')})`,
    )
    await db.transaction((tx) => walkRuns(tx, ids))
  }
}
