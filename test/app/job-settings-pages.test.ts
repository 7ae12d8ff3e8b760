import '../support/work-environment.ts'
import t from 'tap'
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

t.test('failed jobs are listed and replayed, of one group', async (t) => {
  server.answer = (_, res) => void res.writeHead(410).end()
  const made = await Promise.all(['a', 'b', 'b'].map((group) => stack.create('/fails', { group })))
  for (const { body } of made) await stack.ended(body.id, 'failed')
  t.match((await get(url, '/app/jobs/failed', viewer)).text, /410.*410.*410/s)
  t.notMatch((await get(url, '/app/jobs/failed', viewer)).text, 'Replay jobs')
  server.answer = (_, res) => void res.writeHead(204).end()
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
  const fields = { since, group: 'b' }
  t.equal((await submit(url, '/app/jobs/failed', viewer, fields)).status, 403)
  t.equal((await submit(url, '/app/jobs/failed', developer, fields)).status, 303)
  t.match((await get(url, '/app/jobs/failed', developer)).text, '2 jobs will start again')
  for (const { body } of made.slice(1)) await stack.ended(body.id, 'completed')
  t.match((await stack.read(made[0]?.body.id)).body, { status: 'failed' }, 'a viewer and another group start nothing')
  const bad = await submit(url, '/app/jobs/failed', developer, { since: 'soon' })
  t.match(bad, { status: 400, text: /id="since-fault"/ })
})

t.test('the signing secret is shown after a confirmation, and rotated', async (t) => {
  const { secret } = (await stack.ask('GET /v1/jobs/signing-secret')).body
  const tired = await signedIn(db, url, orgId, 'developer', { steppedUp: false })
  const page = '/app/jobs/settings'
  t.notMatch((await get(url, page, developer)).text, secret)
  t.notMatch((await submit(url, `${page}/secret`, tired, {})).text, secret)
  t.equal((await submit(url, `${page}/secret`, viewer, {})).status, 403)
  t.match((await submit(url, `${page}/secret`, developer, {})).text, secret)
  const rotated = await submit(url, `${page}/rotate`, developer, { keep_hours: '24' })
  t.match(rotated.text, /whsec_/)
  t.notMatch(rotated.text, secret)
  t.match((await get(url, page, developer)).text, /Previous secret.*expires/s)
  const bad = await submit(url, `${page}/rotate`, developer, { keep_hours: '999' })
  t.match(bad, { status: 400, text: /id="keep_hours-fault"/ })
})

t.test('the retention is set and cleared', async (t) => {
  const page = '/app/jobs/settings'
  t.equal((await submit(url, page, developer, { retention_days: '7' })).status, 303)
  t.match((await get(url, page, developer)).text, /name="retention_days" type="number" value="7"/)
  t.match(await submit(url, page, developer, { retention_days: '999' }), {
    status: 400,
    text: /id="retention_days-fault"/,
  })
  t.equal((await submit(url, page, viewer, { retention_days: '1' })).status, 403)
  t.equal((await submit(url, page, developer, { retention_days: '' })).status, 303)
  t.match((await stack.ask('GET /v1/jobs/settings')).body, { retention_days: null })
})

t.test('keys are shown with their use, and listed by the API', async (t) => {
  t.match((await get(url, '/app/jobs/limits', viewer)).text, 'Concurrency keys appear here')
  const open: (() => void)[] = []
  server.answer = (_, res) => void open.push(() => res.writeHead(204).end())
  const limits = { concurrency: { key: 'acme', limit: 1 }, rate: { key: 'crm', limit: 1, per: 'hour' } }
  const jobs = [await stack.create('/slow', limits), await stack.create('/slow', { concurrency: limits.concurrency })]
  await until(async () => /1 of 1.*>1</s.test((await get(url, '/app/jobs/limits', viewer)).text), { what: 'it runs' })
  await server.has(1, '/slow')
  const { data } = (await stack.ask('GET /v1/jobs/keys?limit=1')).body
  t.match(data, [{ kind: 'concurrency', key: 'acme', limit: 1, running: 1, waiting: 1, next_start_at: null }])
  const { data: rates } = (await stack.ask('GET /v1/jobs/keys?kind=rate')).body
  t.match(rates, [{ kind: 'rate', key: 'crm', limit: 1, running: 0 }])
  t.match(rates[0].next_start_at, /T/)
  for (const end of open.splice(0)) end()
  await server.has(2, '/slow')
  await until(() => open.length === 1, { what: 'the second one runs' })
  for (const end of open.splice(0)) end()
  for (const { body } of jobs) await stack.ended(body.id)
})
