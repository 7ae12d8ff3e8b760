import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { jobsTable, tasksTable } from '#sql/jobs/graphile-schema.ts'
import { queues } from '#tasks/pools.ts'
import type { LoadReport } from './load.ts'
import type { Stage } from './stage.ts'
import { children, objectKey } from './work.ts'

export interface Outcome {
  accepted: number
  effects: number
  /** Number of effects at the external server beyond the first effect of each item. */
  duplicates: number
  broken: string[]
}

const ItemRow = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  state: z.string(),
  effects: z.number(),
  steps: z.number(),
})
type ItemRow = z.infer<typeof ItemRow>

export async function checkClaims(stage: Stage, round: number, told: LoadReport): Promise<Outcome> {
  const { db, stranger } = stage
  const items = await db.any(sql.type(ItemRow)`
    select i.id, i.name, i.kind, i.state, i.steps, count(e.id)::integer as effects
    from chaos.items as i left join chaos.effects as e on e.item_id = i.id
    where i.round = ${round} group by i.id`)
  const calls = items.filter(({ kind }) => kind === 'call')
  const times = calls.map(({ id }) => stranger.effects.get(id) ?? 0)
  const broken = [
    ...told.wrong,
    ...said('accepted but missing', [...told.accepted.keys()], lacking(items)),
    ...said('there twice', repeated(items)),
    ...said(
      'stored but never accepted',
      items.map(({ name }) => name).filter((name) => !told.accepted.has(rootOf(name))),
    ),
    ...said(
      'not finished',
      items.filter((item) => item.state !== endOf(item)).map(({ name }) => name),
    ),
    ...said(
      'with a wrong number of effects',
      items.filter((item) => item.effects !== effectsOf(item)).map(({ name }) => name),
    ),
    ...said(
      'without its effect at the external server',
      calls.filter((_, i) => times[i] === 0).map(({ name }) => name),
    ),
    ...said('without all follow-up jobs', childless(items)),
    ...said('without its object', await objectless(stage, items)),
    ...(await queueFaults(db)),
  ]
  return {
    accepted: told.accepted.size + told.answered,
    effects: items.reduce((sum, { effects }) => sum + effects, 0),
    duplicates: times.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    broken,
  }
}

const endOf = ({ kind }: ItemRow) => (kind === 'doomed' ? 'given_up' : 'done')
const effectsOf = ({ kind, steps }: ItemRow) => (kind === 'doomed' ? 0 : steps)
const rootOf = (name: string) => name.split('/')[0] as string

function said(what: string, names: readonly string[], is: (name: string) => boolean = () => true): string[] {
  const found = names.filter(is)
  return found.length > 0 ? [`${found.length} items ${what} (${found.slice(0, 3).join(', ')})`] : []
}

function lacking(items: readonly ItemRow[]): (name: string) => boolean {
  const there = new Set(items.map(({ name }) => name))
  return (name) => !there.has(name)
}

function repeated(items: readonly ItemRow[]): string[] {
  const seen = new Set<string>()
  return items.flatMap(({ name }) => (seen.size === seen.add(name).size ? [name] : []))
}

function childless(items: readonly ItemRow[]): string[] {
  const counts = new Map<string, number>()
  for (const { name, kind } of items)
    if (kind === 'child') counts.set(rootOf(name), (counts.get(rootOf(name)) ?? 0) + 1)
  return items.flatMap(({ name, kind }) => (kind === 'parent' && counts.get(name) !== children ? [name] : []))
}

async function objectless({ storage }: Stage, items: readonly ItemRow[]): Promise<string[]> {
  const missing: string[] = []
  for (const { id, name, kind } of items) {
    if (kind === 'store' && (await storage.size(objectKey(id))) === null) missing.push(name)
  }
  return missing
}

const Count = z.object({ count: z.number() })

async function queueFaults(db: Db): Promise<string[]> {
  // The attempt is read under the row lock, so the effect must come from the worker that owns the attempt.
  const stale = await db.oneFirst(sql.type(Count)`
    select count(*)::integer as count from chaos.effects as e where e.run_id is not null and not exists (
      select from jobs.attempts as a join jobs.workers as w on w.locked_by = a.worker
      where a.run_id = e.run_id and a.attempt = e.attempt and w.pid = e.pid)`)
  const failed = await db.oneFirst(sql.type(Count)`
    select count(*)::integer as count from jobs.runs where state in ('failed', 'cancelled') and task <> 'chaos/echo'`)
  // If a new job replaces the key of a running one, the queue leaves the running job no attempt, because the new one
  // does its work.
  const dead = queues.map(
    (queue) => sql.fragment`
    select j.id from ${jobsTable(queue)} as j
    join ${tasksTable(queue)} as t on t.id = j.task_id
    where j.attempts >= j.max_attempts and t.identifier not in ('chaos/doomed', 'chaos/keyed')`,
  )
  const lost = await db.oneFirst(sql.type(Count)`
    select count(*)::integer as count from (${sql.join(dead, sql.fragment` union all `)}) as dead`)
  return [
    ...(stale > 0 ? [`${stale} effects of a worker after it lost the job`] : []),
    ...(failed > 0 ? [`${failed} runs failed`] : []),
    ...(lost > 0 ? [`${lost} jobs have no attempt left`] : []),
  ]
}
