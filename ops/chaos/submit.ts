import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { type EnqueueOptions, enqueueMany } from '#tasks/queue/enqueue.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import * as ledger from './ledger.ts'
import * as work from './work.ts'

/** Kinds of items, and of a hundred items how many are of that kind. */
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

/** A kind of item. */
export type Kind = keyof typeof kinds

/** What a client asks for. */
export const ItemRequest = z.object({
  name: z.string().min(1).max(100),
  kind: z.enum(Object.keys(kinds) as [Kind, ...Kind[]]),
  round: z.int(),
  key: z.string().optional(),
  priority: z.int().min(0).max(999),
  /** Milliseconds that the job waits at least. */
  delay: z.int().min(0).max(10_000),
})

/** What a client asks for. */
export type ItemRequest = z.infer<typeof ItemRequest>

/** A wish with the id of the item that it becomes. */
export type Submission = ItemRequest & { id: string }

/** Gives wishes their ids. */
export const numbered = (wishes: readonly ItemRequest[]): Submission[] =>
  wishes.map((wish) => ({ ...wish, id: newId() }))

/** Adds items and their jobs in the caller's transaction; an item that is there already gets no second job. */
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

/** Of items with one key only one, as one statement may not add two jobs with the same key. */
function unique(some: readonly Submission[]): Submission[] {
  return [...new Map(some.map((wish) => [wish.key ?? wish.id, wish])).values()]
}

function waits({ key, priority, delay }: Submission): EnqueueOptions {
  return { priority, ...(delay > 0 && { at: new Date(Date.now() + delay) }), ...(key && { key: `chaos:${key}` }) }
}
