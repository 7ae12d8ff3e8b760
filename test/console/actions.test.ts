import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as queue from '#sql/jobs/queue.ts'
import { type Reply, testOrg } from '../support/ingress.ts'
import { addJobs, failJobs, get, nameOf, post, signIn, testConsole, tokenOf } from './fixture.ts'

const it = await testConsole(t)
const { db, url } = it
const cookie = await signIn(it)
const token = tokenOf(await get(url, '/ops', cookie))

/** Does an action as the form of its question does; what the next page tells. */
async function tell(action: string, fields: Record<string, string>): Promise<string> {
  const { status } = await post(url, `/ops/confirm/${action}`, { token, ...fields }, { cookie })
  if (status !== 303) throw new Error(`${action}: ${status}`)
  return textOf(await get(url, '/ops/actions', cookie), /<p class="told" role="status">(.*?)<\/p>/s)
}

const textOf = ({ text }: Reply, part: RegExp) => (part.exec(text)?.[1] ?? '').replaceAll(/<[^>]*>|\s+/g, ' ').trim()

/** Has the runs of jobs be gone, so that none of the jobs can be retried. */
async function forgetRuns(db: DatabasePool, ids: readonly number[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update jobs_core._private_jobs set payload = (payload::jsonb || jsonb_build_object('run', gen_random_uuid()))::json
    where id = any(${sql.array([...ids], 'int8')})`)
}

t.test('an action on many that did none of it says so, and why', async (t) => {
  const ids = await addJobs(db, 2)
  await failJobs(db, ids, 'Error: no luck')
  await forgetRuns(db, ids)
  const why = '2 unchanged: The record of its run is no longer kept, so it cannot run again.'
  t.equal(await tell('retry-all', { state: 'failed' }), `No jobs changed: 0 of 2 jobs retried. ${why}`)
  const more = await addJobs(db, 1)
  await failJobs(db, more, 'Error: no luck')
  t.match(await tell('retry-all', { state: 'failed' }), /^Retried 1 of 3 jobs\. 2 unchanged/)
  t.equal(await tell('discard-all', { state: 'failed' }), 'Discarded 2 jobs.')
  t.equal(await tell('discard-all', { state: 'failed' }), 'No jobs changed: no matching jobs remain.')
})

t.test('the reason of a pause is on record among the actions', async (t) => {
  await tell('pause-pool', { pool: 'media', reason: 'a <new> ffmpeg' })
  await tell('pause-task', { task: 'video/probe' })
  const page = await get(url, '/ops/actions', cookie)
  t.match(page.text, 'a &lt;new&gt; ffmpeg')
  await tell('resume-pool', { pool: 'media' })
  t.match((await get(url, '/ops/actions', cookie)).text, 'a &lt;new&gt; ffmpeg', 'it outlives the pause')
})

t.test('organisations are shown and found by their names, with their ids at hand', async (t) => {
  const { org } = await testOrg(db, [])
  await orgs.insert(db, { name: 'Rapids & Co', plan: 'free' })
  const named = await orgs.findByName(db, 'Rapids & Co')
  const id = named?.id ?? ''
  const job = { task: 'account/prune', payload: { payload: {}, org: id }, attempts: 5 }
  const [added] = await queue.addMany(db, 'jobs_core', [job, { ...job, payload: { payload: {}, org: org.id } }])
  const { text } = await get(url, `/ops/jobs/${nameOf(added?.id ?? 0)}`, cookie)
  t.match(
    text,
    new RegExp(`<dt>Organisation</dt><dd><a href="/ops/jobs\\?org=${id}" title="${id}">Rapids &amp; Co</a>`),
  )
  for (const asked of ['Rapids & Co', id]) {
    const list = await get(url, `/ops/jobs?org=${encodeURIComponent(asked)}`, cookie)
    t.match(textOf(list, /<p class="lead">(.*?)<\/p>/s), `Jobs with org Rapids &amp; Co (${id}), newest first`)
    t.equal(list.text.match(/<th scope="row">/g)?.length, 1)
  }
  t.equal((await get(url, '/ops/jobs?org=nobody', cookie)).status, 400)
  await tell('cancel-all', { org: 'Rapids & Co' })
  t.match((await get(url, '/ops/actions', cookie)).text, `org Rapids &amp; Co (${id})`)
})
