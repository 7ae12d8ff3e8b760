import '../support/work-environment.ts'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
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
  url: `${server.url}/charge`,
  method: 'POST',
  body: '{"order": "order-1042"}',
  headers: 'Authorization: Bearer 17',
}

t.test('a developer creates a job and sees its attempt; a viewer sees no body', async (t) => {
  t.match(
    (await get(url, '/app/jobs', developer)).text,
    /Your jobs appear here.*Create job|Create job.*Your jobs appear here/s,
  )
  t.notMatch((await get(url, '/app/jobs', viewer)).text, 'Create job')
  const made = await submit(url, '/app/jobs/new', developer, { ...form, group: 'charges', dedupe_key: 'one' })
  t.equal(made.status, 303, made.text)
  const page = placeOf(made)
  await until(async () => (await get(url, page, developer)).text.includes('>completed<'), {
    what: 'the job is completed',
  })
  const [request] = await server.has(1, '/charge')
  t.match(request, { body: '{"order":"order-1042"}', headers: { authorization: 'Bearer 17' } })
  const shown = (await get(url, page, developer)).text
  t.match(shown, />204</)
  t.match(shown, /order&quot;:&quot;order-1042/)
  t.match(shown, /<code>authorization<\/code>/)
  t.notMatch(shown, /Bearer 17/, 'values of headers are never shown')
  t.notMatch((await get(url, page, viewer)).text, 'order-1042')
  t.equal((await get(url, page, await signedIn(db, url, (await testOrg(db, [])).org.id, 'owner'))).status, 404)
  t.equal((await submit(url, '/app/jobs/new', viewer, form)).status, 403)
})

t.test('each invalid field has its fault', async (t) => {
  const bad = await submit(url, '/app/jobs/new', developer, {
    ...{ url: 'ftp://x', method: 'POST', headers: 'Host: example.com', body: '{}', body_type: 'json' },
    ...{ max_attempts: '99', retry_delays: '5, soon', timeout: '0', concurrency: 'a', concurrency_limit: 'x' },
    ...{ rate: 'b', rate_limit: '0', delay: '-1', group: 'x'.repeat(300) },
  })
  t.equal(bad.status, 400)
  for (const name of [
    'url',
    'headers',
    'max_attempts',
    'retry_delays',
    'timeout',
    'concurrency_limit',
    'rate_limit',
    'delay',
    'group',
  ])
    t.match(bad.text, `id="${name}-fault"`, name)
  t.match(await submit(url, '/app/jobs/new', developer, { ...form, body: '{' }), {
    status: 400,
    text: /id="body-fault"/,
  })
  t.match(await submit(url, '/app/jobs/new', developer, { ...form, headers: 'x' }), {
    status: 400,
    text: /id="headers-fault"/,
  })
})

t.test('a job is cancelled, replayed and deleted; the list is filtered', async (t) => {
  const later = await submit(url, '/app/jobs/new', developer, { ...form, delay: '3600', group: 'later' })
  const page = placeOf(later)
  t.match((await get(url, page, developer)).text, /scheduled.*starts/s)
  t.match((await get(url, '/app/jobs?group=later', developer)).text, page)
  t.notMatch((await get(url, '/app/jobs?group=charges', developer)).text, page)
  t.match((await get(url, `/app/jobs?group=${'x'.repeat(190)}`, developer)).text, 'No jobs match these filters')
  t.equal((await submit(url, `${page}/cancel`, developer, {})).status, 303)
  t.match((await get(url, page, developer)).text, /cancelled/)
  t.equal((await submit(url, `${page}/replay`, developer, {})).status, 303)
  await until(async () => (await get(url, page, developer)).text.includes('>completed<'), {
    what: 'the job is completed',
  })
  t.match((await get(url, `${page}/delete`, developer)).text, 'Delete this job?')
  t.equal((await submit(url, `${page}/delete`, viewer, {})).status, 403)
  t.equal((await submit(url, `${page}/delete`, developer, {})).status, 303)
  t.equal((await get(url, page, developer)).status, 404)
})
