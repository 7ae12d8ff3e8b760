import t from 'tap'
import { sendBroadcast } from '#tasks/notify/send-broadcast.ts'
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

const run = (broadcastId: string) =>
  sendBroadcast.run({ broadcastId }, { db, signal: new AbortController().signal } as never)

t.test('a topic gets people, is notified, and its broadcast shows the progress', async (t) => {
  const { key, developer, viewer } = await scene()
  t.match((await get(url, '/app/notify/topics', viewer)).text, 'No topics yet.')
  t.notMatch((await get(url, '/app/notify/topics', viewer)).text, 'create-topic')
  t.match((await submit(url, '/app/notify/create-topic', developer, { key: 'News', name: 'News' })).text, 'key-fault')
  t.equal((await submit(url, '/app/notify/create-topic', viewer, { key: 'news', name: 'News' })).status, 403)
  t.equal((await submit(url, '/app/notify/create-topic', developer, { key: 'news', name: 'News <1>' })).status, 303)
  const faulty = await submit(url, '/app/notify/topics/news/add', developer, { user_ids: `ann\n${'x'.repeat(256)}` })
  t.match(faulty.text, 'has an invalid line 2')
  t.equal((await submit(url, '/app/notify/topics/news/add', developer, { user_ids: 'ann\n\nbob\r\n cy' })).status, 303)
  const page = (await get(url, '/app/notify/topics/news', viewer)).text
  for (const words of ['News &lt;1&gt;', 'ann', 'bob', 'cy']) t.match(page, words)
  t.equal((await submit(url, '/app/notify/topics/news/remove', developer, { user_id: 'cy' })).status, 303)
  t.equal((await ask(url, 'GET /v1/notify/topics/news', { key })).body.people, 2)

  t.match((await get(url, '/app/notify/broadcasts', viewer)).text, 'No broadcasts yet.')
  const form = (await get(url, '/app/notify/create-broadcast?topic=news', developer)).text
  t.match(form, 'value="topic:news" selected')
  const content = { product_key: 'shop', type: 'release.published', title: 'Version <2>', data: '{"a": 1}' }
  const wrong = await submit(url, '/app/notify/create-broadcast', developer, {
    ...content,
    audience: 'recipients',
    title: 'a\nb',
  })
  t.equal(wrong.status, 400)
  const sent = await submit(url, '/app/notify/create-broadcast', developer, { ...content, audience: 'topic:news' })
  t.equal(sent.status, 303)
  const { data } = (await ask(url, 'GET /v1/notify/broadcasts', { key })).body
  const path = `/app/notify/broadcasts/${data[0].id}`
  t.match((await get(url, path, viewer)).text, /running[\s\S]*0 %/)
  await run(data[0].id)
  const done = (await get(url, path, viewer)).text
  for (const words of ['Version &lt;2&gt;', 'completed', '100 %', 'ann', 'notified']) t.match(done, words)
  t.match((await get(url, `${path}?outcome=failed`, viewer)).text, 'No people.')
  t.match((await get(url, '/app/notify/broadcasts', viewer)).text, '2 of 2')
  t.equal((await submit(url, '/app/notify/topics/news/delete', developer, {})).status, 303)
  t.equal((await get(url, '/app/notify/topics/news', viewer)).status, 404)
})

t.test('a broadcast is cancelled in the dashboard', async (t) => {
  const { key, developer } = await scene()
  const body = { recipients: ['ann', 'bob'], product_key: 'shop', type: 'a', title: 'A' }
  const { id } = (await ask(url, 'POST /v1/notify/broadcasts', { key, body })).body
  t.match((await get(url, `/app/notify/broadcasts/${id}`, developer)).text, `${id}/cancel`)
  t.equal((await submit(url, `/app/notify/broadcasts/${id}/cancel`, developer, {})).status, 303)
  t.match((await ask(url, `GET /v1/notify/broadcasts/${id}`, { key })).body, { status: 'cancelled', refused: 2 })
})

t.test('branches are built from cards: added, filled, moved and removed', async (t) => {
  const { key, developer, viewer } = await scene()
  const base = '/app/notify/workflows/late'
  const steps = async () => (await ask(url, 'GET /v1/notify/workflows/late', { key })).body.steps
  const add = (kind: string, at: string, fields: Record<string, string | string[]>) =>
    submit(url, `${base}/add/${kind}?at=${at}`, developer, { at, ...fields } as Record<string, string>)
  await ask(url, 'PUT /v1/notify/workflows/late', {
    key,
    body: { name: 'Late', product_key: 'shop', type: 'a', steps: [{ type: 'channel', channel: 'push' }] },
  })
  const condition = { field_0: 'data.plan', operator_0: 'equal_to', value_0: 'gold' }
  t.match((await add('branch', '1', {})).text, 'conditions')
  t.equal((await add('branch', '1', condition)).status, 303)
  t.equal((await add('email', '1.steps.0', {})).status, 303)
  t.equal((await add('in_app', '1.else.0', {})).status, 303)
  t.equal((await add('schedule', '1.else.1', { from: '09:00', days: ['mon', 'fri'] })).status, 303)
  const wrong = await add('schedule', '1.else.1', { from: '9' })
  t.equal(wrong.status, 400)
  t.match(wrong.text, 'from-fault')
  t.equal(
    (await add('fetch', '0', { name: 'order', url: 'https://shop.example/o', method: 'GET', on_failure: 'stop' }))
      .status,
    303,
  )
  t.match(
    (await add('fetch', '0', { name: 'order', url: 'https://10.0.0.1/', method: 'GET', on_failure: 'stop' })).text,
    'url-fault',
  )
  t.equal((await add('throttle', '0', { runs: '2', amount: '1', unit: 'days' })).status, 303)
  t.match(await steps(), [
    { type: 'throttle', runs: 2, minutes: 1_440 },
    { type: 'fetch', name: 'order', on_failure: 'stop' },
    { channel: 'push' },
    {
      type: 'branch',
      steps: [{ channel: 'email' }],
      else: [{ channel: 'in_app' }, { type: 'schedule', from: '09:00', days: ['mon', 'fri'] }],
    },
  ])
  const page = (await get(url, base, developer)).text
  for (const words of ['Otherwise', '7. Schedule', 'Monday, Friday', 'Create the secret', `${base}/steps/3.else.1`])
    t.match(page, words)
  t.match((await get(url, base, viewer)).text, 'Otherwise')
  t.match((await get(url, `${base}/steps/3.else.1`, developer)).text, /value="mon" checked/)
  t.equal((await submit(url, `${base}/steps/3.else.1/up`, developer, {})).status, 303)
  t.match((await steps())[3].else, [{ type: 'schedule' }, { channel: 'in_app' }])
  t.equal((await submit(url, `${base}/steps/3`, developer, { ...condition, value_0: 'iron' })).status, 303)
  t.match((await steps())[3], { conditions: [{ value: 'iron' }], else: [{}, {}] }, 'a branch keeps its steps')
  t.equal((await submit(url, `${base}/steps/3.else.0/remove`, developer, {})).status, 303)
  t.equal((await steps())[3].else.length, 1)
  const test = await submit(url, `${base}/test`, developer, {
    ...{ mode: 'rehearse', subject_user_id: 'ann', title: 'Late', data: '{"plan": "gold"}' },
  })
  t.match(test.text, 'A condition is false.')
  t.equal((await get(url, `${base}/steps/9.else.1`, developer)).status, 404)

  const secretPage = await submit(url, '/app/notify/fetch-secret', developer, {})
  t.match(secretPage.text, 'whsec_')
  t.notMatch((await get(url, '/app/notify/fetch-secret', developer)).text, 'whsec_')
  t.equal((await submit(url, `${base}/publish`, developer, {})).status, 303)
  t.match((await ask(url, 'GET /v1/notify/workflows/late', { key })).body, { published_version: 1 })
})
