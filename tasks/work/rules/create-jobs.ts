import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as dedupe from '#sql/work/dedupe-keys.ts'
import * as rows from '#sql/work/jobs.ts'
import * as turns from '#sql/work/turns.ts'
import { enqueueTurns, takePlaces, takeSlots } from './admit-jobs.ts'
import { type Draft, draftJob } from './draft-job.ts'
import type { NewJob } from './new-job.ts'
import { demandRoom } from './pending-limit.ts'
import { ensureSecrets } from './secrets.ts'

/** A created job, or the job that has the same dedupe key. */
export type CreatedJob = rows.Job & { deduplicated: boolean }

/**
 * Creates jobs in the caller’s transaction. They start after the commit. Returns a job for each given one, in order. A
 * job with a dedupe key in use is not created: the earlier job is returned. Throws 429 if the plan allows no more jobs.
 */
export async function createJobs(tx: Db, orgId: string, jobs: readonly NewJob[]): Promise<readonly CreatedJob[]> {
  return await createJobsOf(
    tx,
    jobs.map((job) => ({ orgId, job })),
  )
}

/** Creates jobs of several organisations. */
export async function createJobsOf(
  tx: Db,
  wanted: readonly { orgId: string; job: NewJob }[],
): Promise<readonly CreatedJob[]> {
  if (wanted.length === 0) return []
  const drafts = wanted.map(({ orgId, job }) => draftJob(orgId, newId(), job))
  const taken = await findTaken(tx, wanted, drafts)
  const made = drafts.filter(({ id }) => !taken.has(id))
  if (made.length > 0) await insertDrafts(tx, made)
  const earlier = await readEarlier(tx, drafts, taken)
  return drafts.map((draft) => {
    const found = taken.get(draft.id)
    const job = found === undefined ? undefined : (earlier.get(found) ?? made.find(({ id }) => id === found))
    return job ? { ...toJob(job), deduplicated: true } : { ...toJob(draft), deduplicated: false }
  })
}

/** Returns the ID of the earlier job for each draft whose dedupe key is in use. */
async function findTaken(
  tx: Db,
  wanted: readonly { job: NewJob }[],
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, string>> {
  const claims = new Map<string, dedupe.Claimed & { seconds: number }>()
  for (const [i, { id: job_id, org_id, dedupe_key: key }] of drafts.entries()) {
    if (key === null || claims.has(`${org_id} ${key}`)) continue
    claims.set(`${org_id} ${key}`, { org_id, key, job_id, seconds: wanted[i]?.job.dedupeSeconds ?? defaultDedupe })
  }
  if (claims.size === 0) return new Map()
  const owners = new Map(
    (await dedupe.claim(tx, [...claims.values()])).map(({ org_id, key, job_id }) => [`${org_id} ${key}`, job_id]),
  )
  return new Map(
    drafts.flatMap(({ id, org_id, dedupe_key }) => {
      const owner = dedupe_key === null ? undefined : owners.get(`${org_id} ${dedupe_key}`)
      return owner === undefined || owner === id ? [] : [[id, owner] as const]
    }),
  )
}

/** Time in seconds for which a dedupe key returns its job. */
export const defaultDedupe = 86_400

/** Inserts jobs. Those that can start are put in the queue by the same transaction. */
async function insertDrafts(tx: Db, made: readonly Draft[]): Promise<void> {
  const byOrg = Map.groupBy(made, ({ org_id }) => org_id)
  for (const [orgId, { length }] of byOrg) await demandRoom(tx, orgId, length)
  await ensureSecrets(tx, [...byOrg.keys()].sort())
  const held = made.filter(({ phase }) => phase === 'held')
  await rows.insertMany(tx, held)
  const placed = await takePlaces(tx, held)
  // Places come before slots, as in every transaction, so that none waits for a later one.
  const startable = made.filter(({ phase }) => phase === 'ready')
  const { now, later } = await takeSlots<turns.Queued>(tx, [...startable, ...placed])
  const queued = await enqueueTurns(tx, now)
  await rows.insertMany(
    tx,
    withStart(
      made.filter(({ phase }) => phase !== 'held'),
      queued,
      later,
    ),
  )
  const places = new Set(placed.map(({ id }) => id))
  await turns.markReady(
    tx,
    queued.filter(({ id }) => places.has(id)),
  )
  await turns.markPaced(
    tx,
    later.filter(({ id }) => places.has(id)),
  )
}

/** Returns the drafts with their entry in the queue, or the time of their slot. */
function withStart(
  drafts: readonly Draft[],
  queued: readonly (turns.Turn & { queue_id: number })[],
  later: readonly { id: string; wait_ms: number }[],
): Draft[] {
  const turnOf = new Map(queued.map((turn) => [turn.id, turn]))
  const waitOf = new Map(later.map(({ id, wait_ms }) => [id, wait_ms]))
  return drafts.map((draft) => {
    const wait = waitOf.get(draft.id)
    if (wait !== undefined) return { ...draft, phase: 'paced', due_at: new Date(Date.now() + wait).toISOString() }
    const turn = turnOf.get(draft.id)
    return turn ? { ...draft, turn: turn.turn, queue_id: turn.queue_id } : draft
  })
}

async function readEarlier(
  tx: Db,
  drafts: readonly Draft[],
  taken: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, rows.Job>> {
  const found = new Map<string, rows.Job>()
  const byOrg = Map.groupBy(
    drafts.filter(({ id }) => taken.has(id)),
    ({ org_id }) => org_id,
  )
  for (const [orgId, group] of byOrg) {
    const ids = [...new Set(group.map(({ id }) => taken.get(id) as string))]
    for (const job of await rows.findMany(tx, orgId, ids)) found.set(job.id, job)
  }
  return found
}

const toJob = (job: Draft | rows.Job): rows.Job => ({
  ...job,
  due_at: new Date(job.due_at),
  created_at: new Date(job.created_at),
  started_at: job.started_at === null ? null : new Date(job.started_at),
  ended_at: job.ended_at === null ? null : new Date(job.ended_at),
})
