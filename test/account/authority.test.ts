import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as archives from '#sql/account/exports.ts'
import * as keyRows from '#sql/account/keys.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as members from '#sql/account/people/members.ts'
import { type Db, sql } from '#sql/db.ts'
import { registerSessionUrl } from '#sql/session-url.ts'
import { NewKeyInput } from '#tasks/account/rules/key-input.ts'
import { issueKey } from '#tasks/account/rules/keys.ts'
import { endKey } from '#tasks/account/rules/operate.ts'
import { getRolePower, getRoleScopes } from '#tasks/account/rules/roles.ts'
import { provide } from '../../ingress/http/container.ts'
import { keyChanges } from '../../ingress/http/key-changes.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { hashSecret } from '../../lib/tokens.ts'
import { signedIn, submit } from '../app/fixture.ts'
import { layCable } from '../support/cable.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 'a signing secret of the tests alone')]
const only = ['account', 'app', 'push', 'email', 'files']
// What is remembered for a minute is forgotten by being told so, or not at all.
const options = { only, services, keyCacheMs: 60_000 }
const { ask, url } = await testIngress(t, db, [], options)
const other = await testIngress(t, db, [], options)

const all = [...getRoleScopes('admin')]

/** An organisation with a key that may do all, and its id; `make` makes one more key by the API. */
async function scene(more: Partial<keyRows.NewKey> = {}) {
  const { org } = await testOrg(db, [])
  const wanted = { orgId: org.id, prefix: 'bt_live_' as const, name: 'maker', scopes: all, ...more }
  const maker = await keyRows.create(db, wanted)
  const make = async (name: string, key = maker.secret) => {
    const reply = await ask('POST /v1/account/keys', { key, body: { name, scopes: ['account:keys', 'files:read'] } })
    if (reply.status !== 201) throw new Error(reply.text)
    return reply.body as { id: string; secret: string; made_by_key: string | null }
  }
  const told = async () =>
    (await audit.listChain(db, org.id, 0, 100)).map(({ action, target }) => `${action} ${target}`)
  return { org, maker, make, told }
}

const statusOf = async (key: string, on = ask) => (await on('GET /v1/account', { key })).status

/** Runs `asked` while another transaction has done `work` and not yet committed: they must wait for it. */
async function meanwhile(work: (tx: Db) => Promise<unknown>, asked: () => Promise<Reply>[]): Promise<Reply[]> {
  const Waiting = z.object({ count: z.number() })
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const other = db.transaction(async (tx) => {
    await work(tx)
    begun.resolve()
    await over.promise
  })
  await begun.promise
  const replies = asked()
  let answered = 0
  for (const reply of replies) void reply.finally(() => answered++)
  const waiting = () =>
    db.oneFirst(sql.type(Waiting)`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  try {
    await until(async () => (await waiting()) + answered >= replies.length, { what: 'requests wait', timeout: 20_000 })
    t.equal(answered, 0, 'none is answered before')
  } finally {
    over.resolve()
    await other
  }
  return await Promise.all(replies)
}

t.test('a key that is revoked is refused at once, here and on other processes', async (t) => {
  const { maker, make } = await scene()
  const made = await make('short-lived')
  for (const on of [ask, other.ask]) t.equal((await on('GET /v1/account/keys', { key: made.secret })).status, 200)
  t.equal((await ask(`DELETE /v1/account/keys/${made.id}`, { key: maker.secret })).status, 200)
  t.equal((await ask('GET /v1/account/keys', { key: made.secret })).status, 401, 'in the next request')
  const refused = async () => (await other.ask('GET /v1/account/keys', { key: made.secret })).status === 401
  await until(refused, { timeout: 5_000, what: 'the other process refuses it' })
})

t.test('what a key is granted is judged by the key as it is when that is written', async (t) => {
  const { org, maker, make } = await scene()
  const sibling = await make('sibling')
  const { userId } = await signedIn(db, url, org.id, 'viewer')
  const key = maker.secret
  t.equal(await statusOf(key), 200, 'the key is remembered')
  const before = await keyRows.list(db, org.id)
  const replies = await meanwhile(
    (tx) => keyRows.revoke(tx, org.id, maker.id),
    () => [
      ask('POST /v1/account/keys', { key, body: { name: 'late', scopes: ['files:read'] } }),
      ask(`POST /v1/account/keys/${sibling.id}/rotate`, { key, body: {} }),
      ask('POST /v1/account/invitations', { key, body: { email: 'late@people.example', role: 'viewer' } }),
      ask(`PATCH /v1/account/members/${userId}`, { key, body: { role: 'admin' } }),
      ask('POST /v1/account/webhooks', { key, body: { url: 'http://127.0.0.1:9/', types: ['*'] } }),
    ],
  )
  t.same(
    replies.map(({ status }) => status),
    [401, 401, 401, 401, 401],
  )
  t.equal((await keyRows.list(db, org.id)).length, before.length)
  t.equal((await members.find(db, org.id, userId))?.role, 'viewer')
})

t.test('a member who is demoted changes no role any more, nor budgets, webhooks and keys', async (t) => {
  const { org } = await scene()
  const admin = await signedIn(db, url, org.id, 'admin')
  const { userId } = await signedIn(db, url, org.id, 'viewer')
  const page = (path: string, fields: Record<string, string>) => submit(url, path, admin, fields)
  const replies = await meanwhile(
    async (tx) => {
      await members.lock(tx, org.id)
      await members.setRole(tx, org.id, admin.userId, 'viewer')
    },
    () => [
      page(`/app/members/${userId}`, { role: 'admin' }),
      page('/app/usage/email.messages/budget', { period: 'month', soft: '', hard: '5', alert_at: '80' }),
      page('/app/keys/new', { name: 'late', mode: 'live', scopes: 'files:read' }),
    ],
  )
  t.same(
    replies.map(({ status }) => status),
    [403, 403, 403],
  )
  t.equal((await members.find(db, org.id, userId))?.role, 'viewer')
})

t.test('an owner who is demoted fetches no archive any more, and closes nothing', async (t) => {
  const { org } = await scene()
  const owner = await signedIn(db, url, org.id, 'owner')
  await meanwhile(
    async (tx) => {
      await members.lock(tx, org.id)
      await members.setRole(tx, org.id, owner.userId, 'viewer')
    },
    () => [
      submit(url, '/app/leaving/exports', owner, {}),
      submit(url, '/app/leaving/closure', owner, { name: org.name }),
    ],
  )
  t.same(await archives.list(db, org.id, { limit: 5 }), [])
  t.equal(await closures.find(db, org.id), null)
})

t.test('what a key makes while an operator ends it, ends with it', async (t) => {
  const { org, maker } = await scene()
  const doer = { orgId: org.id, actor: { kind: 'key', id: maker.id, name: 'maker' } } as const
  const by = { orgId: org.id, actor: 'op', operator: { id: null, name: 'op' } }
  await meanwhile(
    (tx) => issueKey(tx, doer, NewKeyInput.parse({ name: 'late', scopes: ['files:read'] })),
    () => [endKey(db, by, { keyId: maker.id, reason: undefined }) as never],
  )
  const living = (await keyRows.list(db, org.id)).filter(({ revoked_at }) => revoked_at === null)
  t.same(
    living.map(({ name }) => name),
    ['main'],
  )
})

t.test('a key is revoked although the connection that hears of changes hangs', async (t) => {
  const { db, url: database } = await testDatabase(t)
  const cable = await layCable(t, database)
  registerSessionUrl(db.configuration.connectionUri, cable.url)
  const { ask, app } = await testIngress(t, db, [], options)
  const { org } = await testOrg(db, [])
  const make = (name: string) => keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name, scopes: all })
  const [maker, gone] = [await make('maker'), await make('gone')]
  t.equal(await statusOf(gone.secret, ask), 200)
  await app.services(keyChanges).caughtUp()
  t.equal(await statusOf(gone.secret, ask), 200)
  cable.hang()
  t.equal((await ask(`DELETE /v1/account/keys/${gone.id}`, { key: maker.secret })).status, 200)
  t.equal(await statusOf(gone.secret, ask), 401)
  cable.cut()
})

t.test('what a key has made ends with it, in the same moment, unless an owner confirms it', async (t) => {
  const { org, maker, make, told } = await scene()
  const owner = await signedIn(db, url, org.id, 'owner')
  const admin = await signedIn(db, url, org.id, 'admin')
  const child = await make('child')
  t.equal(child.made_by_key, maker.id)
  const grandchild = await make('grandchild', child.secret)
  const kept = await make('kept')
  const invite = async (email: string) =>
    (await ask('POST /v1/account/invitations', { key: maker.secret, body: { email, role: 'admin' } })).body.id as string
  const [open, confirmed] = [await invite('open@people.example'), await invite('confirmed@people.example')]

  t.equal((await submit(url, `/app/keys/${kept.id}/confirm`, admin, {})).status, 403, 'an owner alone confirms')
  const unsure = await signedIn(db, url, org.id, 'owner', { steppedUp: false })
  t.match(await submit(url, `/app/keys/${kept.id}/confirm`, unsure, {}), { status: 403, text: 'Confirm your identity' })
  t.equal((await submit(url, `/app/keys/${kept.id}/confirm`, owner, {})).status, 303)
  t.equal((await submit(url, `/app/invitations/${confirmed}/confirm`, owner, {})).status, 303)

  t.equal((await ask(`DELETE /v1/account/keys/${maker.id}`, { key: maker.secret })).status, 200)
  for (const key of [maker.secret, child.secret, grandchild.secret])
    t.equal((await ask('GET /v1/account/keys', { key })).status, 401)
  t.equal((await ask('GET /v1/account/keys', { key: kept.secret })).status, 200)
  const waiting = await invitations.listPending(db, org.id, { limit: 10, before: undefined })
  t.same(
    waiting.map(({ id }) => id),
    [confirmed],
  )
  const log = await told()
  for (const act of [
    ...[`key.revoked ${maker.id}`, `key.revoked ${child.id}`, `key.revoked ${grandchild.id}`],
    ...[`key.confirmed ${kept.id}`, `invitation.confirmed ${confirmed}`, `invitation.withdrawn ${open}`],
  ]) {
    t.ok(log.includes(act), act)
  }
})

t.test('an invitation of a key that has ended admits nobody, whatever ended the key', async (t) => {
  const { org, maker } = await scene()
  const row = { org_id: org.id, email: 'guest@people.example', role: 'admin', invited_by: null, hours: 1 } as const
  const made = await db.transaction((tx) => invitations.insert(tx, { ...row, made_by_key: maker.id }))
  await db.query(sql.unsafe`update account.keys set expires_at = now() where id = ${maker.id}`)
  const reply = await submitJoin(`/app/join/${made?.token}`)
  t.equal(reply.status, 404)
  t.equal(await members.hasEmail(db, org.id, row.email), false)
})

t.test('keys that a key has made count in its requests a minute, and end when it does', async (t) => {
  const { maker, make } = await scene({ rate_per_minute: 6 })
  const [one, two] = [await make('one'), await make('two')]
  const statuses: number[] = []
  for (const key of [one.secret, two.secret, one.secret, two.secret, one.secret])
    statuses.push((await ask('GET /v1/account/keys', { key })).status)
  t.same(statuses, [200, 200, 200, 200, 429])
  await db.query(sql.unsafe`update account.keys set expires_at = now() + interval '1 hour' where id = ${maker.id}`)
  const caller = await keyRows.findCaller(db, hashSecret(one.secret))
  t.ok((caller?.key.expires_at ?? Number.POSITIVE_INFINITY) <= Date.now() + 3_600_000)
})

t.test('a key gives no role that sees more than the key, and is told which scopes it lacks', async (t) => {
  const { org, make, maker } = await scene()
  const lone = await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'l', scopes: ['account:members'] })
  const invite = (key: string, role: string) =>
    ask('POST /v1/account/invitations', { key, body: { email: `${role}@people.example`, role } })
  for (const role of ['viewer', 'developer', 'admin'] as const) {
    const lacks = getRolePower(role).filter((scope) => scope !== 'account:members')
    const reply = await invite(lone.secret, role)
    t.match(reply, { status: 403, body: { error: { code: 'forbidden' } } }, role)
    t.ok(
      lacks.every((scope) => reply.body.error.message.includes(`\`${scope}\``)),
      role,
    )
    t.same([...reply.body.error.details.scopes].sort(), [...lacks].sort(), role)
  }
  t.equal((await invite(maker.secret, 'viewer')).status, 201)
  t.equal((await invite((await make('keys alone')).secret, 'viewer')).status, 403)
})

/** Accepts an invitation as somebody new. */
async function submitJoin(path: string): Promise<Reply> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, 'sec-fetch-site': 'same-origin' }
  return await ask(`POST ${path}`, { raw: 'name=Guest', headers: form })
}
