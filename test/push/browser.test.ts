import t from 'tap'
import { sql } from '#sql/db.ts'
import * as users from '#sql/push/users.ts'
import { until } from '../support/until.ts'
import { browserKit } from './browser-kit.ts'
import { pushStack, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const kit = await browserKit(stack)
const { app, register, tokenOf, ofUser } = kit

t.test(
  'a page learns the VAPID key, and registers its browser of nobody, of a person by a token, and again',
  async (t) => {
    const setup = await kit.page('GET /push/v1/browser')
    t.equal(setup.headers.get('access-control-allow-origin'), '*')
    t.match(setup.body, { app_id: app, vapid_public_key: /^B[\w-]{86}$/ })
    const mine = subscription()
    const first = await register({ subscription: mine, locale: 'de_AT' })
    t.match(first, { status: 200, body: { anonymous: true, vapid_public_key: setup.body.vapid_public_key } })
    t.equal(first.headers.get('access-control-allow-origin'), '*')
    const { installation_id: id, installation_token } = first.body
    const again = await register({ subscription: mine, installation_token })
    t.match(again.body, { installation_id: id, anonymous: true })

    const claimed = await register({ subscription: mine, installation_token, user_token: await tokenOf('ann') })
    t.match(claimed.body, { installation_id: id, anonymous: false })
    t.match(await ofUser('ann'), [{ id, push_provider: 'webpush', platform: 'web', locale: 'de-AT', status: 'active' }])
    const nobodies = await stack.db.any(sql.type(users.table.Row)`
    select ${users.table.columns()} from push.users where app_id = ${app} and user_id is null`)
    t.same(nobodies, [], 'who was nobody is gone')
    t.match((await register({ subscription: mine })).body, { installation_id: id, anonymous: false }, 'it stays theirs')
    await register({ subscription: mine, user_token: await tokenOf('bob') })
    t.same(await ofUser('ann'), [], 'and becomes another’s who signs in')
  },
)

t.test('a new subscription takes the place of the one before, and what is on its way goes to it', async (t) => {
  const [old, renewed] = [subscription(), subscription()]
  const { body } = await register({ subscription: old, user_token: await tokenOf('carl') })
  const { installation_token } = body
  stack.providers.answer = async ({ token }) => {
    if (token !== old.endpoint) return {}
    await register({ subscription: renewed, installation_token })
    return { outcome: 'invalid_token', status: 410, reason: 'gone' }
  }
  const sent = await stack.send(app, 'carl')
  t.match(await stack.ended(sent.id), { status: 'sent', counts: { devices: 1, sent: 1 } })
  stack.providers.answer = () => ({})
  const tokens = stack.providers.sent.map(({ push }) => push.token)
  t.same(tokens, [old.endpoint, renewed.endpoint])
  t.match(await stack.trace(sent.id), [{ attempts: [{ reason: 'token_renewed' }, { outcome: 'sent' }] }])
  t.match(await ofUser('carl'), [{ id: body.installation_id, status: 'active', token_end: renewed.endpoint.slice(-8) }])
})

t.test('many renewals at once leave one installation, of the same person', async (t) => {
  const { body } = await register({ subscription: subscription(), user_token: await tokenOf('dora') })
  const { installation_token } = body
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => register({ subscription: subscription(), installation_token })),
  )
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  t.match(await ofUser('dora'), [{ id: body.installation_id }])
})

t.test('nobody takes over another’s browser: not by its endpoint, nor by a token of an own one', async (t) => {
  const theirs = subscription()
  const { body } = await register({ subscription: theirs, user_token: await tokenOf('eve') })
  const stolen = { ...subscription(theirs.endpoint) }
  const user_token = await tokenOf('mallory')
  t.match(await register({ subscription: stolen, user_token }), { status: 403, body: { error: { code: 'forbidden' } } })
  const mine = await register({ subscription: subscription(), user_token })
  const { installation_token } = mine.body
  t.equal((await register({ subscription: stolen, installation_token })).status, 403)
  const half = { ...theirs, keys: { ...theirs.keys, auth: stolen.keys.auth } }
  t.equal((await register({ subscription: half, installation_token })).status, 403)
  t.match(await ofUser('eve'), [{ id: body.installation_id, token_end: theirs.endpoint.slice(-8) }])
  t.match(await ofUser('mallory'), [{ id: mine.body.installation_id }])
})

t.test('what was removed stays removed, until a page subscribes anew', async (t) => {
  const mine = subscription()
  const { installation_id, installation_token } = (await register({ subscription: mine })).body
  const gone = await kit.page('POST /push/v1/browser/unsubscribe', { installation_token })
  t.match(gone, { status: 200, body: { installation_id, deleted: true } })
  t.equal((await kit.page('POST /push/v1/browser/unsubscribe', { installation_token })).status, 404)
  t.equal((await register({ subscription: subscription(), installation_token })).status, 404, 'a renewal')
  t.equal((await register({ subscription: mine })).status, 200)

  const other = (await register({ subscription: subscription(), user_token: await tokenOf('finn') })).body
  await stack.ask(`DELETE /push/v1/installations/${other.installation_id}`)
  const late = await register({ subscription: subscription(), installation_token: other.installation_token })
  t.equal(late.status, 404, 'one that the customer’s server has removed')
})

t.test('a user’s token ends with its time, its app, its key and the user', async (t) => {
  const field = async (user_token: string) => {
    const { status, body } = await register({ subscription: subscription(), user_token })
    t.match(body.error?.details, [{ field: 'body.user_token' }])
    return status
  }
  const elsewhere = await stack.app()
  t.equal(await field(await tokenOf('gus', { app_id: elsewhere })), 400, 'another app’s')
  const { id: key_id, key, revoke } = await kit.serverKey()
  const facts = { push_user_id: (await kit.addUser('gus')).id, key_id }
  t.equal((await register({ subscription: subscription(), user_token: kit.signed(facts) })).status, 200)
  t.equal(await field(kit.signed({ ...facts, exp: 1 })), 400, 'over')
  t.equal(await field(kit.signed(facts, 'push stream')), 400, 'for another purpose')
  const token = await tokenOf('gus', {}, key)
  await revoke()
  const body = { subscription: subscription(), user_token: token }
  await until(async () => (await register(body)).status === 400, {
    every: 500,
    what: 'a revoked key’s token is refused',
  })
  const late = await tokenOf('hal')
  await stack.db.query(sql.typeAlias('void')`delete from push.users where app_id = ${app} and user_id = 'hal'`)
  t.equal(await field(late), 400, 'a user who was removed')
})

t.test('only a page of the key’s origins, with that scope, and of its own app', async (t) => {
  const body = { subscription: subscription() }
  const from = (origin: string | undefined) => register(body, { origin })
  t.match(await from('https://evil.example'), { status: 403, body: { error: { message: /cannot be used on/ } } })
  t.equal((await from(undefined)).status, 403, 'no page')
  t.equal((await from('https://shop.example')).status, 200)
  t.equal((await register(body, { key: stack.key })).status, 403, 'a server’s key without an app')
  t.equal((await register(body, { key: await kit.siteKey(['push:receipt']) })).status, 403)
  for (const request of ['GET /push/v1/apps', `GET /push/v1/apps/${app}/installations`, 'POST /push/v1/messages']) {
    t.equal((await kit.page(request)).status, 403, request)
  }
  const preflight = await stack.ingress.ask('OPTIONS /push/v1/browser', { headers: { origin: 'https://shop.example' } })
  t.match(preflight.headers.get('access-control-allow-headers'), /authorization/)
})

t.test('a visitor who registers without end is held back, and another is not', async (t) => {
  const statuses = []
  for (let i = 0; i < 130; i++) statuses.push((await register({ subscription: subscription('no') })).status)
  t.equal(statuses.at(-1), 429)
  t.ok(statuses.includes(400))
})
