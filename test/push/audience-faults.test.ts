import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { fcmToken, pushStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const { ask } = stack
const app = await stack.app()
const device = await stack.device(app, 'ann', { push_provider: 'fcm', token: fcmToken() })
const unknown = '0198f1c2-7f00-7000-8000-000000000001'

const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n))
const message = (facts: object) => [
  'POST /push/v1/messages',
  { app_id: app, title: 'x', target: { type: 'all' }, ...facts },
]
const to = (target: unknown) => message({ target })
const topic = (body: object, name = 'news', word = 'subscribe') => [
  `POST /push/v1/apps/${app}/topics/${name}/${word}`,
  body,
]
const register = (facts: object) => [
  'POST /push/v1/installations',
  { app_id: app, push_provider: 'fcm', token: fcmToken(), ...facts },
]
const change = (body: object) => [`PATCH /push/v1/installations/${device.id}`, body]
const person = (facts: object) => ['POST /push/v1/users', { app_id: app, user_id: 'ann', ...facts }]
const quiet = (quiet_hours: unknown) => message({ quiet_hours })

/** What is asked, and the fields at fault. */
const cases: [unknown[], ...string[]][] = [
  [to(undefined), 'body.target'],
  [to('all'), 'body.target'],
  [to({ type: 'nobody' }), 'body.target.type'],
  [to({ type: 'all', id: 'x' }), 'body.target.id'],
  [to({ type: 'users' }), 'body.target.ids'],
  [to({ type: 'users', ids: [] }), 'body.target.ids'],
  [to({ type: 'users', ids: many(1_001, (n) => `u${n}`) }), 'body.target.ids'],
  [to({ type: 'users', ids: ['ok', '', 7] }), 'body.target.ids.1', 'body.target.ids.2'],
  [to({ type: 'users', ids: ['x'.repeat(257)] }), 'body.target.ids.0'],
  [to({ type: 'users', id: 'ann', ids: ['ann'] }), 'body.target.id'],
  [to({ type: 'topic' }), 'body.target.id'],
  [to({ type: 'topic', id: 'x'.repeat(101) }), 'body.target.id'],
  [to({ type: 'topic', id: 'a\u0007b' }), 'body.target.id'],
  [to({ type: 'segment' }), 'body.target.tags'],
  [to({ type: 'segment', tags: {} }), 'body.target.tags'],
  [to({ type: 'segment', tags: { all: [], any: [], none: [] } }), 'body.target.tags'],
  [to({ type: 'segment', tags: { all: 'beta' } }), 'body.target.tags.all'],
  [to({ type: 'segment', tags: { any: many(21, (n) => `t${n}`) } }), 'body.target.tags.any'],
  [
    to({ type: 'segment', tags: { none: ['x'.repeat(65)], some: [] } }),
    'body.target.tags.none.0',
    'body.target.tags.some',
  ],
  [message({ rate: 0 }), 'body.rate'],
  [message({ rate: 1.5 }), 'body.rate'],
  [message({ rate: 10_001 }), 'body.rate'],
  [message({ rate: 5, target: { type: 'user', id: 'ann' } }), 'body.rate'],
  [quiet('22:00'), 'body.quiet_hours'],
  [quiet({ from: '22:00' }), 'body.quiet_hours.to'],
  [quiet({ from: '24:00', to: '7:00' }), 'body.quiet_hours.from', 'body.quiet_hours.to'],
  [quiet({ from: '22:00:00', to: '07:00' }), 'body.quiet_hours.from'],
  [quiet({ from: '07:00', to: '07:00' }), 'body.quiet_hours.to'],
  [quiet({ from: '22:00', to: '07:00', time_zone: 'Mars/Olympus' }), 'body.quiet_hours.time_zone'],
  [quiet({ from: '22:00', to: '07:00', time_zone: '+02:00' }), 'body.quiet_hours.time_zone'],
  [message({ badge: -1, sound: '' }), 'body.badge', 'body.sound'],
  [message({ actions: many(4, String).map((action) => ({ action, title: 'x' })) }), 'body.actions'],
  [
    message({ actions: [{ action: '', url: 'javascript:x' }] }),
    'body.actions.0.action',
    'body.actions.0.title',
    'body.actions.0.url',
  ],
  [message({ ios: { push_type: 'mdm', badge: '1' } }), 'body.ios.badge', 'body.ios.push_type'],
  [message({ android: { color: 'red', channel: 'x' } }), 'body.android.channel', 'body.android.color'],
  [message({ web: { url: 'http://example.com', icon: 'icon.png' } }), 'body.web.icon', 'body.web.url'],
  [topic({}), 'body.user_ids'],
  [topic({ user_ids: [] }), 'body.user_ids'],
  [topic({ user_ids: many(1_001, (n) => `u${n}`) }), 'body.user_ids'],
  [topic({ installation_ids: ['none'] }), 'body.installation_ids.0'],
  [topic({ installation_ids: [unknown] }), 'body.installation_ids'],
  [topic({ user_ids: ['ann'] }, 'x'.repeat(101)), 'path.topic'],
  [topic({ users: ['ann'] }, 'news', 'unsubscribe'), 'body.user_ids', 'body.users'],
  [register({ tags: many(51, (n) => `t${n}`) }), 'body.tags'],
  [register({ tags: ['', 7], time_zone: 'Vienna' }), 'body.tags.0', 'body.tags.1', 'body.time_zone'],
  [register({ user_id: '' }), 'body.user_id'],
  [change({ tags: null, locale: 'x!' }), 'body.locale', 'body.tags'],
  [change({ time_zone: '' }), 'body.time_zone'],
  [change({ token: 'x' }), 'body.token'],
  [person({ time_zone: 'CEST/Summer' }), 'body.time_zone'],
  [[`POST /push/v1/installations/${device.id}/claim`, {}], 'body.user_id'],
  [[`POST /push/v1/installations/${device.id}/claim`, { user_id: 'a\u0000' }], 'body.user_id'],
  [['GET /push/v1/messages?target=user', undefined], 'query.target'],
  [[`GET /push/v1/messages?app_id=x&user_id=${'x'.repeat(257)}`, undefined], 'query.app_id', 'query.user_id'],
]

t.test('bad input is refused with every field at fault', async (t) => {
  t.ok(cases.length >= 40)
  for (const [[request, body], ...fields] of cases) {
    const said = `${request} ${JSON.stringify(body)}`.slice(0, 160)
    const reply = await ask(String(request), body === undefined ? {} : { body })
    t.equal(reply.status, 400, said)
    if (reply.status === 400) t.same(fieldsOf(reply), fields.sort(), said)
  }
})

t.test('what is another’s or not there is not found', async (t) => {
  const requests: [string, object?][] = [
    [`POST /push/v1/apps/${unknown}/topics/news/subscribe`, { user_ids: ['ann'] }],
    [`POST /push/v1/apps/${unknown}/topics/news/unsubscribe`, { user_ids: ['ann'] }],
    [`GET /push/v1/apps/${unknown}/topics`],
    [`GET /push/v1/apps/${unknown}/topics/news/subscriptions`],
    [`DELETE /push/v1/apps/${unknown}/users/ann`],
    [`DELETE /push/v1/apps/${app}/users/nobody`],
    [`POST /push/v1/installations/${unknown}/claim`, { user_id: 'ann' }],
    [`PATCH /push/v1/installations/${unknown}`, { tags: [] }],
    [`GET /push/v1/messages?app_id=${unknown}`],
  ]
  for (const [request, body] of requests) t.equal((await ask(request, body ? { body } : {})).status, 404, request)
})
