import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'push'], services: [secret] })

async function scene() {
  const { org, keys } = await testOrg(db, ['push:manage', 'push:send'])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  const made = await submit(url, '/app/push/new', developer, { name: 'Shop' })
  return { key: keys.main, developer, viewer, app: made.headers.get('location')?.split('/').at(-1) ?? '' }
}

t.test('a message is written to many, listed, shown and cancelled', async (t) => {
  const { app, developer, viewer, key } = await scene()
  const path = `/app/push/${app}`
  t.match((await get(url, path, developer)).text, `href="${path}/send"`)
  t.notMatch((await get(url, path, viewer)).text, `href="${path}/send"`)
  t.match((await get(url, `${path}/messages`, viewer)).text, 'No messages yet')
  t.equal((await get(url, `${path}/send`, developer)).status, 200)
  const fields = { kind: 'topic', to: ' news ', title: 'Sale', rate: '50', quiet_from: '22:00', quiet_to: '07:00' }
  const hour = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16)
  const sent = await submit(url, `${path}/send`, developer, { ...fields, send_at: hour, body: '', url: '' })
  t.equal(sent.status, 303)
  const place = sent.headers.get('location') ?? ''
  const shown = (await get(url, place, developer)).text
  t.match(shown, /the topic news.*scheduled.*50 deliveries per second.*22:00 to 07:00/s)
  const { body } = await ask(url, `GET /push/v1/messages/${place.split('/').at(-1)}`, { key })
  t.match(body, { target: { type: 'topic', id: 'news' }, rate: 50, status: 'scheduled' })
  t.match((await get(url, `${path}/messages`, viewer)).text, 'the topic news')
  t.notMatch((await get(url, place, viewer)).text, '/cancel"')
  t.equal((await submit(url, `${place}/cancel`, viewer, {})).status, 403)
  t.equal((await submit(url, `${place}/cancel`, developer, {})).status, 303)
  t.match((await get(url, place, developer)).text, /cancelled/)
  t.notMatch((await get(url, place, developer)).text, '/cancel"')
})

t.test('each kind of receiver is taken; faults stand at their fields', async (t) => {
  const { app, developer } = await scene()
  const path = `/app/push/${app}/send`
  const kinds = [
    ['user', 'ann'],
    ['users', 'ann\r\nbob\r\n'],
    ['segment', 'beta\r\nvienna'],
    ['all', ''],
  ] as const
  for (const [kind, to] of kinds) {
    const reply = await submit(url, path, developer, { kind, to, title: 'Hi' })
    t.equal(reply.status, 303, `${kind}: ${reply.text.slice(0, 200)}`)
  }
  const faults = [
    [{ kind: 'user', to: '' }, 'to'],
    [{ kind: 'all', to: 'ann' }, 'to'],
    [{ kind: 'topic', to: 'a\nb' }, 'to'],
    [{ kind: 'user', to: 'ann', rate: '5' }, 'rate'],
    [{ kind: 'all', to: '', quiet_from: '22:00' }, 'quiet_to'],
    [{ kind: 'all', to: '', title: ' ' }, 'title'],
  ] as const
  for (const [fields, name] of faults) {
    const reply = await submit(url, path, developer, { title: 'Hi', ...fields })
    t.equal(reply.status, 400, name)
    t.match(reply.text, `id="${name}-fault"`)
  }
})

t.test('a person is removed with their devices, by those who may', async (t) => {
  const { app, developer, viewer, key } = await scene()
  const body = { app_id: app, user_id: 'user-17', push_provider: 'sse' }
  await ask(url, 'POST /push/v1/installations', { key, body })
  const guest = await ask(url, 'POST /push/v1/installations', { key, body: { ...body, user_id: undefined } })
  const test = await submit(url, `/app/push/installations/${guest.body.id}/test`, developer, { title: 'Hi', body: '' })
  t.match((await get(url, test.headers.get('location') ?? '', developer)).text, /an anonymous device.*<dd>sent<\/dd>/s)
  const list = `/app/push/${app}/installations`
  t.match((await get(url, list, viewer)).text, 'anonymous')
  t.match((await get(url, `${list}?user=user-17`, developer)).text, `action="/app/push/${app}/remove-user"`)
  t.notMatch((await get(url, `${list}?user=user-17`, viewer)).text, '/remove-user')
  t.equal((await submit(url, `/app/push/${app}/remove-user`, viewer, { user: 'user-17' })).status, 403)
  t.equal((await submit(url, `/app/push/${app}/remove-user`, developer, { user: 'user-17' })).status, 303)
  t.match((await get(url, list, developer)).text, /user-17 deleted, with 1 device\./)
  t.match((await get(url, `${list}?user=user-17`, developer)).text, 'This person has no devices.')
})
