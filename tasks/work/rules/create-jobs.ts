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
  const claims = toClaims(wanted, drafts)
  const owners = await claimKeys(tx, claims)
  const earlier = await readEarlier(tx, [...owners.values()], claims)
  const ownerOf = ({ id, org_id, dedupe_key: key }: Draft): string =>
    key === null ? id : (owners.get(`${org_id} ${key}`) ?? id)
  const made = drafts.filter((draft) => ownerOf(draft) === draft.id)
  if (made.length > 0) await insertDrafts(tx, made)
  const known = new Map<string, rows.Job | Draft>([...earlier, ...made.map((draft) => [draft.id, draft] as const)])
  return drafts.map((draft) => {
    const owner = ownerOf(draft)
    const job = known.get(owner)
    if (!job) throw new Error(`job ${owner} of a dedupe key does not exist`)
    return { ...toJob(job), deduplicated: owner !== draft.id }
  })
}

type Claim = dedupe.Claimed & { seconds: number }

/** Returns one claim for each dedupe key: that of its first job. */
function toClaims(wanted: readonly { job: NewJob }[], drafts: readonly Draft[]): readonly Claim[] {
  const claims = new Map<string, Claim>()
  for (const [i, { id: job_id, org_id, dedupe_key: key }] of drafts.entries()) {
    if (key === null || claims.has(`${org_id} ${key}`)) continue
    claims.set(`${org_id} ${key}`, { org_id, key, job_id, seconds: wanted[i]?.job.dedupeSeconds ?? defaultDedupe })
  }
  return [...claims.values()]
}

/**
 * Returns the job of each key, by organisation and key. A key whose job was deleted is given to the new job. The claim
 * waits for other transactions, so a later statement sees the jobs that they have created.
 */
async function claimKeys(tx: Db, claims: readonly Claim[]): Promise<Map<string, string>> {
  if (claims.length === 0) return new Map()
  const own = new Set(claims.map(({ job_id }) => job_id))
  const claimed = await dedupe.claim(tx, claims)
  const others = claimed.filter(({ job_id }) => !own.has(job_id))
  const existing = new Set(
    await rows.lockExisting(
      tx,
      others.map(({ job_id }) => job_id),
    ),
  )
  const gone = new Set(
    others.filter(({ job_id }) => !existing.has(job_id)).map(({ org_id, key }) => `${org_id} ${key}`),
  )
  const replaced = claims.filter(({ org_id, key }) => gone.has(`${org_id} ${key}`))
  if (replaced.length > 0) await dedupe.replace(tx, replaced)
  return new Map([...claimed, ...replaced].map(({ org_id, key, job_id }) => [`${org_id} ${key}`, job_id]))
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

/** Returns the jobs that earlier transactions have created. */
async function readEarlier(
  tx: Db,
  owners: readonly string[],
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, rows.Job>> {
  const own = new Set(claims.map(({ job_id }) => job_id))
  const found = new Map<string, rows.Job>()
  const ids = owners.filter((id) => !own.has(id))
  if (ids.length === 0) return found
  for (const orgId of new Set(claims.map(({ org_id }) => org_id)))
    for (const job of await rows.findMany(tx, orgId, ids)) found.set(job.id, job)
  return found
}

const toJob = (job: Draft | rows.Job): rows.Job => ({
  ...job,
  due_at: new Date(job.due_at),
  scheduled_for: job.scheduled_for === null ? null : new Date(job.scheduled_for),
  created_at: new Date(job.created_at),
  started_at: job.started_at === null ? null : new Date(job.started_at),
  ended_at: job.ended_at === null ? null : new Date(job.ended_at),
})
