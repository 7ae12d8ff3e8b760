import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as sessions from '#sql/account/people/sessions.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import type { JobSummary } from '#sql/jobs/list.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as assets from '#sql/video/assets.ts'
import { testDatabase } from '../support/database.ts'
import { ask as askOf, type Reply, type TestScope, testIngress, testOrg } from '../support/ingress.ts'

/** A console under test: an ingress over a database of its own, and a key that opens it. */
export interface TestConsole {
  db: DatabasePool
  url: string
  key: string
  orgId: string
}

/** Starts a console; it goes with the test. */
export async function testConsole(t: TestScope): Promise<TestConsole> {
  const { db } = await testDatabase(t)
  const { url } = await testIngress(t, db)
  const { keys, org } = await testOrg(db, ['operator'])
  return { db, url, key: keys.main, orgId: org.id }
}

/** What a browser sends with a form of the page itself. */
const ofPage = (url: string) => ({ origin: url, 'sec-fetch-site': 'same-origin' })

/** Sends a form as a browser does; `headers` replace what it would send. */
export async function post(
  url: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return await askOf(url, `POST ${path}`, {
    raw: new URLSearchParams(fields).toString(),
    headers: { ...form, ...ofPage(url), ...headers },
  })
}

/** Begins a session without a form, whose tries are counted; returns its cookie. */
export async function signIn({ db, url, key }: TestConsole): Promise<string> {
  const caller = await keys.findCaller(db, hashSecret(key))
  if (!caller) throw new Error('The key is not good.')
  return `millrace_ops_${new URL(url).port}=${await sessions.begin(db, caller.key.id, 12)}`
}

/** A page as the holder of a cookie gets it. */
export const get = (url: string, path: string, cookie: string): Promise<Reply> =>
  askOf(url, `GET ${path}`, { headers: { cookie } })

/** The session's token, as the pages' forms carry it. */
export const tokenOf = (page: Reply): string => /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''

/** Adds jobs of a task to the pool `core` that no worker of the test will take. */
export async function addJobs(db: DatabasePool, many: number, payload: unknown = {}): Promise<number[]> {
  const envelope = { payload, request_id: 'req-of-console', org: undefined }
  const job = { task: 'account/prune', payload: envelope, attempts: 5 }
  const jobs = Array.from({ length: many }, () => job)
  return (await queue.addMany(db, 'jobs_core', jobs)).map(({ id }) => id)
}

/** Makes jobs of the pool `core` failed ones, with an error on record. */
export async function failJobs(db: DatabasePool, ids: readonly number[], error: string): Promise<void> {
  const list = sql.array([...ids], 'int8')
  await db.query(sql.typeAlias('void')`
    update jobs_core._private_jobs set attempts = max_attempts, last_error = ${error} where id = any (${list})`)
  await db.query(sql.typeAlias('void')`
    insert into jobs.failures (id, pool, task, job_id, worker, attempt, final, started_at, ended_at, error, fingerprint)
    select gen_random_uuid(), 'core', 'account/prune', id, 'worker_1', 5, true, now() - interval '1 second', now(), ${error}, 'alike'
    from unnest(${list}) as id`)
}

/** Where the jobs of the pool `core` stand. */
export async function attemptsOf(db: DatabasePool, ids: readonly number[]): Promise<readonly number[]> {
  return await db.anyFirst(sql.type(z.object({ attempts: z.number() }))`
    select attempts::integer from jobs_core._private_jobs where id = any (${sql.array([...ids], 'int8')}) order by id`)
}

/** A worker that is alive as far as the table says. */
export async function addWorker(db: DatabasePool, host: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into jobs.workers (id, pool, locked_by, host, pid, concurrency)
    values (gen_random_uuid(), 'core', ${`worker of ${host}`}, ${host}, 4711, 24)`)
}

/** Seeds an hour of what the fleet did. */
export async function addHistory(db: DatabasePool): Promise<void> {
  const minutes = sql.fragment`generate_series(date_trunc('minute', now()) - interval '59 minutes', now(), '1 minute') as at`
  await db.query(sql.typeAlias('void')`
    insert into jobs.minutes (pool, task, at, done, retried, failed, wait_ms, run_ms)
    select 'core', 'account/prune', at, 40, 3, 1, 2000, 4000 from ${minutes}`)
  await db.query(sql.typeAlias('void')`
    insert into jobs.depths (pool, task, at, waiting, running, failed, oldest_s)
    select 'core', 'account/prune', at, 12, 2, 1, 30 from ${minutes}`)
}

/** Seeds a day of plays of an asset, every third hour without any; returns the asset's id. */
export async function addPlays(db: DatabasePool, orgId: string): Promise<string> {
  const facts = { external_ref: null, filename: 'rapids.mp4', mime_type: null, watermark: null, bytes: 1 }
  const asset = { id: newId(), org_id: orgId, title: 'Rapids <in spring>', ...facts, profile: 'standard_vod' as const }
  const { id } = await assets.insert(db, asset)
  await db.query(sql.typeAlias('void')`
    insert into video.quality_hours (asset_id, at, views, failed_views, starts, startup, play_ms, rebuffer_ms, rebuffers,
      bits, decoded, dropped, switches)
    select ${id}, at, 20, 1, 19, '{2,9,4,2,1,1,0,0,0,0,0,0,0,0,0,0}', 600000, 6000, 7, 1.5e9, 18000, 90, 12
    from generate_series(date_trunc('hour', now()) - interval '23 hours', now(), '1 hour') as at
    where extract(hour from at)::integer % 3 <> 0`)
  await db.query(sql.typeAlias('void')`
    insert into video.quality_errors (asset_id, at, code, fatal, count)
    values (${id}, date_trunc('hour', now()), 'manifestLoadError', true, 16)`)
  return id
}

/** A job's name, as the console's addresses have it. */
export const nameOf = (id: number): JobSummary['name'] => `core:${id}`
