import t from 'tap'
import { z } from 'zod'
import { verifyToken } from '#lib/tokens.ts'
import { fieldsOf } from '../support/ingress.ts'
import { apnsToken, fcmToken, pushStack, secret, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const { ask } = stack
const app = await stack.app()
const listed = async (query = '') => (await ask(`GET /push/v1/apps/${app}/installations?limit=100${query}`)).body.data
const ofUser = (userId: string) => listed(`&user_id=${userId}`)

t.test('a user is registered once; registering again changes what is given', async (t) => {
  const put = (body: object) => ask('POST /push/v1/users', { body: { app_id: app, user_id: 'ann', ...body } })
  const first = await put({ locale: 'de_AT' })
  t.match(first, { status: 200, body: { user_id: 'ann', locale: 'de-AT' } })
  t.match((await put({})).body, { id: first.body.id, locale: 'de-AT' })
  t.match((await put({ locale: null })).body, { id: first.body.id, locale: null })
  t.same(fieldsOf(await put({ user_id: '', locale: 'x' })), ['body.locale', 'body.user_id'])
})

t.test('a device that registers again moves to its new user and is never doubled', async (t) => {
  const token = apnsToken()
  const first = await stack.device(app, 'bob', { push_provider: 'apns', token, platform: 'ios', locale: 'en' })
  t.match(first, {
    push_provider: 'apns',
    user_id: 'bob',
    platform: 'ios',
    status: 'active',
    token_end: token.slice(-8),
  })
  t.notOk('stream' in first)
  const moved = await stack.device(app, 'carl', { push_provider: 'apns', token: token.toUpperCase() })
  t.match(moved, { id: first.id, user_id: 'carl', platform: null })
  t.same(await ofUser('bob'), [])
  t.match(await ofUser('carl'), [{ id: first.id }])
  const other = await stack.app()
  t.not((await stack.device(other, 'carl', { push_provider: 'apns', token })).id, first.id, 'another app is apart')
})

t.test('many registrations of a device at once leave one', async (t) => {
  const token = fcmToken()
  const users = Array.from({ length: 12 }, (_, i) => `user-${i}`)
  const made = await Promise.all(users.map((user) => stack.device(app, user, { push_provider: 'fcm', token })))
  t.equal(new Set(made.map(({ id }) => id)).size, 1)
})

t.test(
  'a new token takes the place of the one before, also when it is there already, or two are swapped',
  async (t) => {
    const [a, b, c] = [fcmToken(), fcmToken(), fcmToken()]
    const device = (facts: object) => stack.device(app, 'dora', { push_provider: 'fcm', ...facts })
    const first = await device({ token: a })
    t.equal((await device({ token: b, previous_token: a })).id, first.id, 'the installation stays')
    const second = await device({ token: c })
    t.equal((await device({ token: c, previous_token: b })).id, second.id)
    t.match(await ofUser('dora'), [{ id: second.id }])
    t.equal((await ofUser('dora')).length, 1)
    const [d, e] = [fcmToken(), fcmToken()]
    await Promise.all([device({ token: d }), device({ token: e })])
    await Promise.all([device({ token: d, previous_token: e }), device({ token: e, previous_token: d })])
    t.ok((await ofUser('dora')).length <= 3)
    const web = [subscription(), subscription()]
    const before = await stack.device(app, 'dora', { push_provider: 'webpush', subscription: web[0] })
    const facts = { push_provider: 'webpush', subscription: web[1], previous_token: web[0]?.endpoint }
    t.equal((await stack.device(app, 'dora', facts)).id, before.id)
  },
)

t.test('a stream gets credentials of its own for a day, which registering again renews', async (t) => {
  const made = await stack.device(app, 'emil', { push_provider: 'sse', platform: 'web' })
  t.match(made.stream, { url: `${stack.ingress.url}/push/v1/stream`, token: String })
  const hours = (Date.parse(made.stream.expires_at) - Date.now()) / 3_600_000
  t.ok(hours > 23.9 && hours <= 24)
  const payload = verifyToken('push stream', made.stream.token, secret, z.object({ installation_id: z.guid() }))
  t.equal(payload?.installation_id, made.id)
  const renewed = await stack.device(app, 'emil', { push_provider: 'sse', token: made.id })
  t.equal(renewed.id, made.id)
  t.not((await stack.device(app, 'emil', { push_provider: 'sse' })).id, made.id, 'another tab is another stream')
  const other = await stack.app()
  const strange = await stack.device(other, 'emil', { push_provider: 'sse', token: made.id })
  t.not(strange.id, made.id, 'a stream of another app begins anew')
})

t.test('a removed device is gone, and lists are filtered', async (t) => {
  const { id } = await stack.device(app, 'finn', { push_provider: 'apns', token: apnsToken() })
  t.same((await ask(`DELETE /push/v1/installations/${id}`)).body, { id, deleted: true })
  t.equal((await ask(`DELETE /push/v1/installations/${id}`)).status, 404)
  t.same(await ofUser('finn'), [])
  t.same(
    new Set((await listed('&push_provider=sse')).map((one: { push_provider: string }) => one.push_provider)),
    new Set(['sse']),
  )
  t.same(await listed('&status=invalidated'), [])
  const page = await ask(`GET /push/v1/apps/${app}/installations?limit=2`)
  t.equal(page.body.data.length, 2)
  const next = await ask(`GET /push/v1/apps/${app}/installations?limit=2&cursor=${page.body.next_cursor}`)
  t.ok(next.body.data[0].id < page.body.data[1].id)
})

t.test('a bad registration is refused with every field at fault', async (t) => {
  const web = subscription()
  const cases: [Record<string, unknown>, string[]][] = [
    [{ push_provider: 'apns' }, ['body.token']],
    [{ push_provider: 'apns', token: 'not hex' }, ['body.token']],
    [{ push_provider: 'fcm', token: 'a b' }, ['body.token']],
    [{ push_provider: 'sse', token: 'no id' }, ['body.token']],
    [{ push_provider: 'sse', previous_token: 'x' }, ['body.previous_token']],
    [{ push_provider: 'webpush' }, ['body.subscription']],
    [{ push_provider: 'webpush', token: 'x', subscription: web }, ['body.token']],
    [{ push_provider: 'apns', token: apnsToken(), subscription: web }, ['body.subscription']],
    [{ push_provider: 'fcm', token: fcmToken(), environment: 'sandbox' }, ['body.environment']],
    [{ push_provider: 'huawei', platform: 'A B', locale: '?' }, ['body.locale', 'body.platform', 'body.push_provider']],
    [{ push_provider: 'sse', user_id: 7, extra: true }, ['body.extra', 'body.user_id']],
    ...[
      'http://push.example.com/x',
      'https://127.0.0.1/x',
      'https://user:pw@push.example.com/',
      'https://[::1]/',
      'nonsense',
    ].map((endpoint): [Record<string, unknown>, string[]] => [
      { push_provider: 'webpush', subscription: { ...web, endpoint } },
      ['body.subscription.endpoint'],
    ]),
    [
      { push_provider: 'webpush', subscription: { ...web, keys: { p256dh: 'AAAA', auth: '?' } } },
      ['body.subscription.keys.auth', 'body.subscription.keys.p256dh'],
    ],
  ]
  for (const [facts, fields] of cases) {
    const reply = await ask('POST /push/v1/installations', { body: { app_id: app, user_id: 'x', ...facts } })
    t.equal(reply.status, 400, JSON.stringify(facts).slice(0, 80))
    t.same(fieldsOf(reply), fields)
  }
})
