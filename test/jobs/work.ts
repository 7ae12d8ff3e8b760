import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Later, Permanent, Rejected } from '#lib/errors.ts'
import { Storage } from '#lib/storage/storage.ts'
import { type DatabasePool, type Db, openPool, sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { type AnyTask, task } from '#tasks/queue/task.ts'

/** Creates the tables for the effects of test jobs, and the gates that they wait at. */
export async function installEffects(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    create table effects (id bigserial primary key, name text, phase text, attempt integer, pid integer, detail text)`)
  await db.query(sql.typeAlias('void')`create table gates (name text primary key)`)
}

const Effect = z.object({
  name: z.string(),
  phase: z.string(),
  attempt: z.number(),
  pid: z.number(),
  detail: z.string().nullable(),
})

export async function effects(db: Db, name: string): Promise<readonly z.infer<typeof Effect>[]> {
  return await db.any(sql.type(Effect)`
    select name, phase, attempt, pid, detail from effects where name = ${name} order by id`)
}

/** Lets the jobs at a gate continue. */
export async function openGate(db: Db, name: string): Promise<void> {
  await db.query(sql.typeAlias('void')`insert into gates values (${name}) on conflict do nothing`)
}

async function note(db: Db, name: string, phase: string, attempt: number, detail: string | null = null): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into effects (name, phase, attempt, pid, detail) values (${name}, ${phase}, ${attempt}, ${process.pid}, ${detail})`)
}

const isOpen = (db: Db, gate: string) =>
  db.exists(sql.type(z.object({ name: z.string() }))`select name from gates where name = ${gate}`)

async function waitAt(db: DatabasePool, gate: string | undefined, signal: AbortSignal | undefined): Promise<void> {
  // A stopped process finds its connections timed out, which must not fail the test.
  while (gate && !(await isOpen(db, gate).catch(() => false))) await pause(20, undefined, signal ? { signal } : {})
}

/** URL of a server that accepts connections and never responds. */
async function silent(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`
}

const endpoint = 'http://127.0.0.1:1'
const names = { region: 'us-east-1', bucket: 'none', accessKey: 'none', secretKey: 'none' }
const nowhere = new Storage({ endpoint, publicEndpoint: endpoint, ...names })

/** Milliseconds that a task blocks its event loop. */
const stallMs = 4_000

/** Host faults, and an error with other text. */
const troubles: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
  nul: () => Promise.reject(new Error('no\0 luck\ud800')),
  full: () => Promise.reject(new Error('no luck', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) })),
  refused: async () => await openPool(await silent()),
  async stall(signal) {
    for (const end = Date.now() + stallMs; Date.now() < end; );
    await pause(100, undefined, { signal })
  },
  unstored: () => nowhere.put('none', Buffer.of(1), { contentType: 'text/plain' }),
}

const payload = z.object({
  name: z.string(),
  gate: z.string().optional(),
  /** The failure to produce, and the number of attempts before success. */
  how: z
    .enum(['throw', 'permanent', 'rejected', 'later', 'full', 'refused', 'unstored', 'die', 'deaf', 'nul', 'stall'])
    .optional(),
  times: z.number().default(1_000_000),
})

const seen = async (db: Db, name: string) => (await effects(db, name)).filter(({ phase }) => phase === 'start').length

async function perform(
  { name, gate, how, times }: z.output<typeof payload>,
  { db, attempt, signal }: { db: DatabasePool; attempt: number; signal: AbortSignal },
): Promise<{ echo: string }> {
  await note(db, name, 'start', attempt)
  const misbehave = how && (await seen(db, name)) <= times
  await waitAt(db, gate, misbehave && how === 'deaf' ? undefined : signal)
  if (misbehave && how === 'die') process.kill(process.pid, 'SIGKILL')
  if (misbehave && how === 'throw') throw new Error('no luck')
  if (misbehave && how === 'permanent') throw new Permanent('never')
  if (misbehave && how === 'rejected') throw new Rejected('corrupt: no film')
  if (misbehave && how === 'later') throw new Later(50)
  if (misbehave) await troubles[how]?.(signal)
  await note(db, name, 'end', attempt)
  return { echo: name }
}

const giveUp = async ({ name }: z.output<typeof payload>, error: Error, { db }: { db: DatabasePool }) =>
  await note(db, name, 'given up', 0, error.message)

/** A tracked task that waits, fails and dies as configured. */
export const precious = task({
  name: 'test/precious',
  pool: 'core',
  payload,
  attempts: 3,
  tracked: true,
  run: perform,
  giveUp,
})

export const plain = task({ name: 'test/plain', pool: 'core', payload, attempts: 3, run: perform, giveUp })

export const single = task({
  name: 'test/single',
  pool: 'core',
  payload,
  attempts: 1,
  tracked: true,
  run: perform,
  giveUp,
})

export const hasty = task({
  name: 'test/hasty',
  pool: 'core',
  payload,
  attempts: 1,
  timeout: 2_000,
  tracked: true,
  run: perform,
  giveUp,
})

/** The first time, stays in a transaction that holds its run. */
export const holding = task({
  name: 'test/holding',
  pool: 'core',
  payload,
  attempts: 3,
  tracked: true,
  async run({ name }, { db, own, attempt, signal }) {
    const isFirst = (await seen(db, name)) === 0
    await note(db, name, 'start', attempt)
    if (isFirst) await own(() => pause(60_000, undefined, { signal }))
  },
})

export const ticking = task({
  name: 'test/ticking',
  pool: 'core',
  payload: z.object({}),
  cron: '*/7 * * * *',
  run: (_, { db, attempt }) => note(db, 'ticking', 'end', attempt),
})

export const relay = task({
  name: 'test/relay',
  pool: 'core',
  payload: z.object({ name: z.string() }),
  async run({ name }, { db, log }) {
    log.warn({ name }, 'relaying')
    await enqueue(db, plain, { name })
  },
})

export const work: AnyTask[] = [precious, plain, single, hasty, holding, ticking, relay]
