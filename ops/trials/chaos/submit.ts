import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { type EnqueueOptions, enqueueMany } from '#tasks/queue/enqueue.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import * as ledger from './ledger.ts'
import * as work from './work.ts'

/** Kinds of items, with the number of items of that kind per hundred items. */
export const kinds = {
  note: 38,
  call: 14,
  store: 6,
  keyed: 12,
  long: 8,
  later: 6,
  retry: 6,
  parent: 5,
  spool: 4,
  doomed: 1,
} as const

export type Kind = keyof typeof kinds

export const ItemRequest = z.object({
  name: z.string().min(1).max(100),
  kind: z.enum(Object.keys(kinds) as [Kind, ...Kind[]]),
  round: z.int(),
  key: z.string().optional(),
  priority: z.int().min(0).max(999),
  /** Minimum delay in milliseconds before the job runs. */
  delay: z.int().min(0).max(10_000),
})

export type ItemRequest = z.infer<typeof ItemRequest>

export type Submission = ItemRequest & { id: string }

export const assignIds = (wishes: readonly ItemRequest[]): Submission[] =>
  wishes.map((wish) => ({ ...wish, id: newId() }))

/** Adds items and their jobs in the caller's transaction. Items that already exist get no second job. */
export async function submit(tx: Db, given: readonly Submission[], stranger: string): Promise<void> {
  const fresh = await ledger.insert(
    tx,
    given.map((wish) => ({ ...wish, steps: wish.kind === 'long' ? work.longSteps : 1 })),
  )
  for (const kind of Object.keys(kinds) as Kind[]) {
    const some = unique(given.filter((wish) => wish.kind === kind && fresh.has(wish.id)))
    const payloads = some.map((wish) => ({ ...wish, url: stranger }))
    if (some.length > 0) await enqueueMany(tx, taskOf(kind), payloads, (i) => waits(some[i] as Submission))
  }
}

const taskOf = (kind: Kind) => work.work.find(({ name }) => name === `chaos/${kind}`) as AnyTask

/** Keeps one item per key, because one statement cannot add two jobs with the same key. */
function unique(some: readonly Submission[]): Submission[] {
  return [...new Map(some.map((wish) => [wish.key ?? wish.id, wish])).values()]
}

function waits({ key, priority, delay }: Submission): EnqueueOptions {
  return { priority, ...(delay > 0 && { at: new Date(Date.now() + delay) }), ...(key && { key: `chaos:${key}` }) }
}
