import '../support/work-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testIngress } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { workStack } from '../work/stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { db, orgId, server } = stack
await stack.startWorkers()
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'jobs'],
  services: [provide(services.signingSecret, signingSecret)],
})
const developer = await signedIn(db, url, orgId, 'developer')
const viewer = await signedIn(db, url, orgId, 'viewer')
const placeOf = (reply: { headers: Headers }) => (reply.headers.get('location') ?? '').split('?')[0] as string
const form = {
  ...{ name: 'nightly-report', cron: '30 2 * * *', time_zone: 'Europe/Berlin', missed: 'once' },
  ...{ url: `${server.url}/report`, method: 'POST', headers: 'Authorization: Bearer 17', group: 'reports' },
}

t.test('the next runs are shown while a schedule is typed, in its time zone', async (t) => {
  const preview = (fields: Record<string, string>) => submit(url, '/app/jobs/schedules/preview', developer, fields)
  t.match((await preview({})).text, 'Enter a cron expression or an interval')
  const shown = await preview({ cron: '30 2 * * *', time_zone: 'Europe/Berlin' })
  t.equal((shown.text.match(/02:30, Europe\/Berlin/g) ?? []).length, 5)
  t.match((await preview({ cron: '0 0 30 2 *' })).text, /The cron expression must/)
  t.match((await preview({ cron: '* *', time_zone: 'Mars' })).text, /The cron expression must.*The time zone must/s)
  t.match((await preview({ every: '5' })).text, /The interval must/)
  t.equal((await submit(url, '/app/jobs/schedules/preview', viewer, { cron: '30 2 * * *' })).status, 403)
})

t.test('a schedule is created, run, paused, edited without losing its headers, and deleted', async (t) => {
  t.match((await get(url, '/app/jobs/schedules', developer)).text, 'Your schedules appear here')
  const bad = await submit(url, '/app/jobs/schedules/new', developer, { ...form, cron: '99 * * * *', url: 'ftp://x' })
  t.match(bad, { status: 400, text: /id="cron-fault".*id="url-fault"/s })
  const made = await submit(url, '/app/jobs/schedules/new', developer, form)
  t.equal(made.status, 303, made.text)
  const page = placeOf(made)
  t.match((await get(url, '/app/jobs/schedules', viewer)).text, /nightly-report.*30 2 \* \* \*/s)
  const ran = await submit(url, `${page}/trigger`, developer, {})
  t.equal(ran.status, 303)
  const [first] = await server.has(1, '/report')
  t.equal(first?.headers.authorization, 'Bearer 17')
  await until(async () => (await get(url, page, viewer)).text.includes('>completed<'), { what: 'the run is shown' })
  t.match((await get(url, placeOf(ran), viewer)).text, `href="${page}"`, 'the job links to its schedule')
  t.match((await get(url, `/app/jobs?origin_id=${page.split('/').at(-1)}`, viewer)).text, placeOf(ran))

  t.equal((await submit(url, `${page}/pause`, developer, {})).status, 303)
  t.match((await get(url, page, developer)).text, /The schedule is paused.*/s)
  t.equal((await submit(url, `${page}/resume`, developer, {})).status, 303)
  const edit = await get(url, `${page}/edit`, developer)
  t.match(edit.text, /value="30 2 \* \* \*"/)
  t.notMatch(edit.text, 'Bearer 17')
  const { cron: _, headers: __, ...kept } = form
  const saved = await submit(url, `${page}/edit`, developer, { ...kept, every: '3600' })
  t.equal(saved.status, 303, saved.text)
  t.match((await get(url, page, developer)).text, 'every 1 h')
  await submit(url, `${page}/trigger`, developer, {})
  const [, second] = await server.has(2, '/report')
  t.equal(second?.headers.authorization, 'Bearer 17')
  t.equal((await submit(url, `${page}/delete`, viewer, {})).status, 403)
  t.equal((await submit(url, `${page}/delete`, developer, {})).status, 303)
  t.equal((await get(url, page, developer)).status, 404)
})

t.test('a flow is shown by stages, cancelled and replayed', async (t) => {
  const job = (name: string, after: string[] = []) => ({ name, url: `${server.url}/${name}`, after })
  server.answer = ({ path }, res) => void res.writeHead(path === '/pack' ? 410 : 204).end()
  const jobs = [job('charge'), job('pack', ['charge']), job('invoice', ['charge']), job('ship', ['pack', 'invoice'])]
  const { body: flow } = await stack.ask('POST /v1/jobs/flows', { body: { name: 'order-1042', jobs } })
  const page = `/app/jobs/flows/${flow.id}`
  await until(async () => (await get(url, page, viewer)).text.includes('>skipped<'), { what: 'the flow has ended' })
  const { text } = await get(url, page, viewer)
  t.match(text, /Stage 1.*charge.*Stage 2.*2 jobs at the same time.*pack.*invoice.*Stage 3.*ship/s)
  t.match((await get(url, '/app/jobs/flows', viewer)).text, /order-1042.*failed/s)
  t.match((await get(url, '/app/jobs/flows?state=completed', viewer)).text, 'No flows match these filters')
  server.answer = (_, res) => void res.writeHead(204).end()
  t.equal((await submit(url, `${page}/replay`, developer, {})).status, 303)
  await until(async () => !/failed<|skipped</.test((await get(url, page, viewer)).text), {
    what: 'the flow is repeated',
  })
  await server.has(1, '/ship')
  const held = { name: 'held', jobs: [{ ...job('charge'), delay: 3600 }] }
  const { body: waiting } = await stack.ask('POST /v1/jobs/flows', { body: held })
  t.equal((await submit(url, `/app/jobs/flows/${waiting.id}/cancel`, developer, {})).status, 303)
  t.match((await get(url, `/app/jobs/flows/${waiting.id}`, viewer)).text, '>cancelled<')
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from work.flows`), 2)
})
