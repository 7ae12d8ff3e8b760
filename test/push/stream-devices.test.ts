import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testIngress } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { apnsToken, pushStack, secret } from './stack.ts'
import { openStream } from './stream-client.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const app = await stack.app()
const { ask, db } = stack

const register = (userId: string, facts: Record<string, unknown> = {}) =>
  stack.device(app, userId, { push_provider: 'sse', ...facts })
const urlOf = ({ stream }: { stream: { url: string; token: string } }) => `${stream.url}?token=${stream.token}`
const ofUser = async (userId: string): Promise<{ id: string; device_id: string | null }[]> =>
  (await ask(`GET /push/v1/apps/${app}/installations?limit=100&user_id=${userId}`)).body.data

t.test('a device has one stream, however often, and by however many at once, it registers', async (t) => {
  const first = await register('ann', { device_id: 'phone-1' })
  t.equal(first.device_id, 'phone-1')
  const again = await Promise.all(Array.from({ length: 10 }, () => register('ann', { device_id: 'phone-1' })))
  t.same([...new Set(again.map(({ id }) => id))], [first.id])
  const both = await Promise.all(Array.from({ length: 10 }, () => register('ann', { device_id: 'phone-2' })))
  t.equal(new Set(both.map(({ id }) => id)).size, 1)
  t.equal((await ofUser('ann')).length, 2)

  const open = await openStream(t, urlOf(first))
  const moved = await register('bob', { device_id: 'phone-1' })
  t.equal(moved.id, first.id, 'it is the next person’s')
  await open.ended
  t.equal((await ofUser('ann')).length, 1)

  const bare = await register('bob')
  const named = await register('bob', { token: bare.id, device_id: 'phone-1' })
  t.equal(named.id, bare.id, 'one that is named takes the device’s place')
  t.same(
    (await ofUser('bob')).map(({ id }) => id),
    [bare.id],
  )
  t.equal((await register('bob', { token: bare.id })).device_id, 'phone-1', 'which it keeps')
  const other = await stack.app()
  const apart = await stack.device(other, 'bob', { push_provider: 'sse', device_id: 'phone-1' })
  t.not(apart.id, bare.id, 'another app is apart')
  const wrong = { app_id: app, user_id: 'x', push_provider: 'apns', token: apnsToken(), device_id: 'a' }
  t.equal((await ask('POST /push/v1/installations', { body: wrong })).status, 400)
})

t.test('a person has 20 streams: the one used longest ago goes, and its stream ends', async (t) => {
  const made = []
  for (let i = 0; i < 20; i++) made.push(await register('carl'))
  const old = async (id: string, hours: number) =>
    await db.query(sql.typeAlias('void')`
      update push.installations set used_at = now() - ${hours} * interval '1 hour' where id = ${id}`)
  await old(made[0].id, 30)
  await old(made[7].id, 20)
  const open = await openStream(t, urlOf(made[7]))
  // Opening it is a use.
  const used = sql.unsafe`select from push.installations where id = ${made[0].id} and used_at > now() - interval '1 minute'`
  const again = await openStream(t, urlOf(made[0]))
  await until(() => db.exists(used))
  await old(made[7].id, 20)
  await register('carl')
  await open.ended
  const left = (await ofUser('carl')).map(({ id }) => id)
  t.same([left.length, left.includes(made[0].id), left.includes(made[7].id)], [20, true, false])
  t.equal(again.status, 200)
  await Promise.all(Array.from({ length: 30 }, () => register('carl')))
  t.equal((await ofUser('carl')).length, 20)
})

t.test('streams that nobody used for 90 days end, and invalidated devices are forgotten after as many', async (t) => {
  const [unused, used] = [await register('dora'), await register('dora')]
  const [dead, fresh] = [
    await stack.device(app, 'dora', { push_provider: 'apns', token: apnsToken() }),
    await stack.device(app, 'dora', { push_provider: 'apns', token: apnsToken() }),
  ]
  await db.query(sql.typeAlias('void')`
    update push.installations set used_at = now() - interval '91 days' where id = any(${sql.array([unused.id, fresh.id], 'uuid')})`)
  await db.query(sql.typeAlias('void')`
    update push.installations set status = 'invalidated', invalidated_reason = 'Unregistered',
      invalidated_at = now() - case when id = ${dead.id} then interval '91 days' else interval '89 days' end
    where id = any(${sql.array([dead.id, fresh.id], 'uuid')})`)
  await pruneArea(db, 'push')
  t.same((await ofUser('dora')).map(({ id }) => id).sort(), [used.id, fresh.id].sort())
  t.equal((await openStream(t, urlOf(unused))).status, 204)
})

t.test('a stream’s delivery has its attempt in the trace', async (t) => {
  await register('emil')
  const sent = await stack.send(app, 'emil')
  await stack.ended(sent.id)
  t.match(await stack.trace(sent.id), [
    { provider: 'sse', status: 'sent', attempt_count: 1, attempts: [{ number: 1, outcome: 'sent', at: String }] },
  ])
  const dry = await stack.send(app, 'emil', { title: 'Hi', dry_run: true })
  await stack.ended(dry.id)
  t.match(await stack.trace(dry.id), [{ status: 'sent', reason: 'dry_run', attempt_count: 0, attempts: [] }])
})

t.test('streams and their tokens end with the key, on every process', async (t) => {
  const made = await keys.create(db, { orgId: stack.orgId, prefix: 'bt_live_', name: 'old', scopes: ['push:send'] })
  const others = await testIngress(t, db, [], {
    services: [provide(services.storage, undefined as never), provide(services.signingSecret, secret)],
  })
  const body = { app_id: app, user_id: 'fay', push_provider: 'sse' }
  const { stream } = (await ask('POST /push/v1/installations', { key: made.secret, body })).body
  const urls = [stack.ingress, others].map(({ url }) => `${url}/push/v1/stream?token=${stream.token}`)
  const [here, there] = await Promise.all(urls.map((url) => openStream(t, url)))
  const kept = await openStream(t, urlOf(await register('fay')))
  t.same([here?.status, there?.status, kept.status], [200, 200, 200])
  const begun = Date.now()
  await keys.revoke(db, stack.orgId, made.id)
  await Promise.all([here?.ended, there?.ended])
  t.comment(`ended after ${Date.now() - begun} ms`)
  await until(async () => (await openStream(t, urls[0] ?? '')).status === 401)
  await until(async () => (await openStream(t, urls[1] ?? '')).status === 401)
  await stack.ended((await stack.send(app, 'fay')).id)
  t.equal((await kept.gets(1)).length, 1, 'streams of other keys go on')
})
