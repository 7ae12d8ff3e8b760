/** Tasks of the load: each kind of job that the platform supports, with recorded effects. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { type AnyTask, type Attempt, task } from '#tasks/queue/task.ts'
import * as ledger from './ledger.ts'

const payload = z.object({ id: z.guid() })
const core = { pool: 'core', payload } as const

const finish = ({ own, runId }: Attempt, id: string) => own((tx) => ledger.advance(tx, id, 0, runId))

/** Short and untracked task. The state of its row ensures a single effect. */
export const note = task({
  ...core,
  name: 'chaos/note',
  run: async ({ id }, attempt) => void (await finish(attempt, id)),
})

export const longSteps = 5
const stepMs = 200

/** Long and tracked task. It has one effect per step, but only while the attempt owns the job. */
export const long = task({
  ...core,
  name: 'chaos/long',
  tracked: true,
  async run({ id }, { db, own, runId, signal, progress }) {
    for (let step = await ledger.findStep(db, id); step !== null && step < longSteps; step++) {
      await pause(stepMs, undefined, { signal })
      await own((tx) => ledger.advance(tx, id, step as number, runId))
      progress((step + 1) / longSteps)
    }
  },
})

/** Has an effect at an external server without transactions, and then an effect in the database. */
export const call = task({
  ...core,
  name: 'chaos/call',
  payload: payload.extend({ url: z.url() }),
  async run({ id, url }, attempt) {
    const answer = await fetch(`${url}/${id}`, { method: 'POST', signal: attempt.signal })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`The external server returned ${answer.status}.`)
    await finish(attempt, id)
  },
})

export const objectKey = (id: string): string => `chaos/${id}`

export const store = task({
  ...core,
  name: 'chaos/store',
  async run({ id }, attempt) {
    const bytes = Buffer.from(id)
    await attempt.storage.put(objectKey(id), bytes, { contentType: 'text/plain', signal: attempt.signal })
    await finish(attempt, id)
  },
})

export const children = 3

export const parent = task({
  ...core,
  name: 'chaos/parent',
  payload: payload.extend({ name: z.string(), round: z.int() }),
  async run({ id, name, round }, { own }) {
    await own(async (tx) => {
      if (!(await ledger.advance(tx, id, 0))) return
      const items = Array.from({ length: children }, (_, i) => ({
        id: newId(),
        name: `${name}/${i}`,
        kind: 'child',
        round,
        steps: 1,
      }))
      await ledger.insert(tx, items)
      await enqueueMany(tx, note, items)
    })
  },
})

export const echo = task({
  ...core,
  name: 'chaos/echo',
  payload: z.object({ word: z.string() }),
  tracked: true,
  run: async ({ word }) => ({ word }),
})

export const later = task({
  ...core,
  name: 'chaos/later',
  async run({ id }, attempt) {
    if ((await ledger.countTry(attempt.db, id)) < 2) throw new Later(300)
    await finish(attempt, id)
  },
})

export const retry = task({
  ...core,
  name: 'chaos/retry',
  async run({ id }, attempt) {
    if ((await ledger.countTry(attempt.db, id)) < 1) throw new Error('no luck at first')
    await finish(attempt, id)
  },
})

export const doomed = task({
  ...core,
  name: 'chaos/doomed',
  async run() {
    throw new Permanent('it is doomed')
  },
  giveUp: async ({ id }, _, { db }) => await ledger.markFailed(db, id),
})

/** Handles all items of a key that arrived before it runs. */
export const keyed = task({
  ...core,
  name: 'chaos/keyed',
  payload: z.object({ key: z.string() }),
  run: async ({ key }, { own }) => await own((tx: Db) => ledger.advanceKey(tx, key)),
})

const spoolBytes = 256 * 1024

export const spool = task({
  name: 'chaos/spool',
  pool: 'media',
  payload,
  async run({ id }, attempt) {
    await using folder = await attempt.scratch.attempt()
    const path = join(folder.path, 'file')
    await writeFile(path, Buffer.alloc(spoolBytes, id))
    if ((await readFile(path)).length !== spoolBytes) throw new Error('The scratch disk lost data.')
    await finish(attempt, id)
  },
})

export const hooked = task({ name: 'chaos/hooked', pool: 'webhooks', payload: z.object({}), run: async () => {} })

export const work: readonly AnyTask[] = [
  note,
  long,
  call,
  store,
  parent,
  echo,
  later,
  retry,
  doomed,
  keyed,
  spool,
  hooked,
]
