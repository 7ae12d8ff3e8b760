import t from 'tap'
import { walkRuns } from '#tasks/notify/rules/walk-runs.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'notify'], services: [secret] })

async function scene() {
  const { org, keys } = await testOrg(db, ['notify:read', 'notify:write'])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, key: keys.main, developer, viewer }
}

const flow = {
  name: 'Shipped & gone',
  product_key: 'shop',
  type: 'order.shipped',
  steps: [
    { type: 'channel', channel: 'in_app' },
    { type: 'wait', minutes: 10, until: 'unread' },
    { type: 'channel', channel: 'email', conditions: [{ field: 'data.total', operator: 'greater_than', value: '9' }] },
  ],
}

t.test('people are added, listed and found; who may not add them is not offered it', async (t) => {
  const { key, developer, viewer } = await scene()
  t.match((await get(url, '/app/notify/people', viewer)).text, 'No people yet.')
  t.notMatch((await get(url, '/app/notify/people', viewer)).text, '/app/notify/people/new')
  const faulty = await submit(url, '/app/notify/people/new', developer, { user_id: 'ann', email: 'x', phone: '1' })
  t.equal(faulty.status, 400)
  for (const id of ['email-fault', 'phone-fault']) t.match(faulty.text, `id="${id}"`)
  t.equal((await submit(url, '/app/notify/people/new', developer, { user_id: ' ' })).status, 400)
  const added = await submit(url, '/app/notify/people/new', developer, {
    user_id: 'ann <17>',
    email: 'ann@people.example',
    locale: 'de',
  })
  t.equal(added.status, 303)
  t.equal((await submit(url, '/app/notify/people/new', viewer, { user_id: 'x' })).status, 403)
  t.match((await get(url, '/app/notify/people', viewer)).text, 'ann &lt;17&gt;')
  t.match((await get(url, '/app/notify/people?email=ann@people.example', viewer)).text, 'ann &lt;17&gt;')
  t.match(
    (await get(url, '/app/notify/people?email=bob@people.example', viewer)).text,
    'No person has this email address.',
  )
  t.match((await ask(url, 'GET /v1/notify/people/ann%20%3C17%3E', { key })).body, { locale: 'de' })
})

t.test('a workflow is published and taken out of use, and the trace of a run tells each step', async (t) => {
  const { key, developer, viewer } = await scene()
  await ask(url, 'PUT /v1/notify/workflows/shipped', { key, body: flow })
  t.match((await get(url, '/app/notify', viewer)).text, 'Shipped &amp; gone')
  t.notMatch((await get(url, '/app/notify/workflows/shipped', viewer)).text, 'Publish')
  t.equal((await submit(url, '/app/notify/workflows/shipped/publish', viewer, {})).status, 403)
  t.equal((await submit(url, '/app/notify/workflows/shipped/publish', developer, {})).status, 303)
  const page = await get(url, '/app/notify/workflows/shipped', developer)
  t.match(page.text, 'version 1')
  t.match(page.text, 'if data.total greater than 9')
  const body = { product_key: 'shop', type: 'order.shipped', subject_user_id: 'ann', title: 'A secret title' }
  const { run_id } = (await ask(url, 'POST /v1/notify/events', { key, body })).body
  await db.transaction((tx) => walkRuns(tx, [run_id]))
  t.match((await get(url, '/app/notify', viewer)).text, `href="/app/notify/runs/${run_id}">ann</a>`)
  const run = await get(url, `/app/notify/runs/${run_id}`, viewer)
  t.match(run.text, '1. in_app')
  t.match(run.text, /2\. wait.*waiting/s)
  t.notMatch(run.text, 'A secret title')
  t.equal((await submit(url, `/app/notify/runs/${run_id}/cancel`, viewer, {})).status, 403)
  t.equal((await submit(url, `/app/notify/runs/${run_id}/cancel`, developer, {})).status, 303)
  t.match((await get(url, `/app/notify/runs/${run_id}`, viewer)).text, 'cancelled')
  t.match((await get(url, '/app/notify/runs?user=ann', viewer)).text, run_id)
  t.match((await get(url, '/app/notify/runs?user=bob', viewer)).text, 'This person has no runs.')
  t.equal((await submit(url, '/app/notify/workflows/shipped/unpublish', developer, {})).status, 303)
  t.match((await get(url, '/app/notify', viewer)).text, 'not published')
  const stranger = (await scene()).developer
  for (const path of [`/app/notify/runs/${run_id}`, '/app/notify/workflows/shipped'])
    t.equal((await get(url, path, stranger)).status, 404, path)
})
