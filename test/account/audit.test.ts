import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as audit from '#sql/account/audit.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'

const { db, url } = await testDatabase(t)
const services = [provide(signingSecret, 'a signing secret of the tests alone')]
const only = ['account', 'email', 'video', 'files']
const { ask, url: base } = await testIngress(t, db, [], { only, services })

const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const

/** An organisation in whose log stand `count` acts, which were done at the same time. */
async function scene(count: number) {
  const { org, keys } = await testOrg(db, ['account:audit'])
  const act = (n: number) => ({ orgId: org.id, actor, action: 'key.created', target: `k${n}`, after: { b: n, a: 'ü' } })
  await Promise.all(Array.from({ length: count }, (_, n) => db.transaction((tx) => audit.append(tx, act(n)))))
  return { org, key: keys.main as string }
}

t.test('acts of one moment are numbered without a gap, and listed newest first, page by page', async (t) => {
  const { key } = await scene(12)
  const first = await ask('GET /v1/account/audit?limit=10', { key })
  t.equal(first.status, 200)
  t.same(
    first.body.data.map(({ number }: { number: number }) => number),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  )
  t.match(first.body.data[0], { actor, action: 'key.created', after: { a: 'ü' }, before: null })
  const rest = await ask(`GET /v1/account/audit?limit=10&cursor=${first.body.next_cursor}`, { key })
  t.equal(rest.body.data.length, 2)
  t.same((await ask('GET /v1/account/audit?target=k3', { key })).body.data.length, 1)
  t.same((await ask('GET /v1/account/audit?action=key.revoked', { key })).body.data, [])
  const faults = await ask('GET /v1/account/audit?since=soon&colour=red', { key })
  t.match(faults, { status: 400 })
})

t.test('another organisation sees nothing of it', async (t) => {
  await scene(2)
  const { keys } = await testOrg(db, ['account:audit'])
  t.same((await ask('GET /v1/account/audit', { key: keys.main as string })).body.data, [])
})

t.test('an act whose transaction is undone is in no log, and leaves no gap', async (t) => {
  const { org, key } = await scene(1)
  const undone = db.transaction(async (tx) => {
    await audit.append(tx, { orgId: org.id, actor, action: 'key.revoked' })
    throw new Error('undone')
  })
  await t.rejects(undone)
  await db.transaction((tx) => audit.append(tx, { orgId: org.id, actor, action: 'key.rotated' }))
  const { body } = await ask('GET /v1/account/audit', { key })
  t.match(body.data, [
    { number: 2, action: 'key.rotated' },
    { number: 1, action: 'key.created' },
  ])
})

t.test('no row is changed, and none is deleted before its time but with its organisation', async (t) => {
  const { org } = await scene(2)
  const Id = z.object({ id: z.string() })
  const change = sql.type(Id)`update account.audit set action = 'nothing' where org_id = ${org.id} returning id`
  const drop = sql.type(Id)`delete from account.audit where org_id = ${org.id} returning id`
  await t.rejects(db.any(change))
  await t.rejects(db.any(drop))
  await db.query(sql.typeAlias('void')`delete from account.orgs where id = ${org.id}`)
  t.equal(await orgs.find(db, org.id), null)
  t.same(await db.any(sql.type(Id)`select id from account.audit where org_id = ${org.id}`), [])
})

t.test('an export is checked without us: a changed, a missing, a swapped line shows', async (t) => {
  const { key } = await scene(5)
  const reply = await fetch(`${base}/v1/account/audit/export`, { headers: { authorization: `Bearer ${key}` } })
  const lines = (await reply.text()).trimEnd().split('\n')
  t.equal(lines.length, 5)
  const { run } = commandLine(url)
  const folder = t.testdir()
  const check = async (text: string) => {
    const path = join(folder, 'audit.ndjson')
    await writeFile(path, text)
    return await run(['audit', 'check', path])
  }
  t.match(await check(`${lines.join('\n')}\n`), { code: 0, out: /Entries 1 to 5/ })
  t.match(await check(lines.slice(2).join('\n')), { code: 0, out: /Entries 3 to 5/ })
  const changed = lines.map((line, i) => (i === 2 ? line.replace('Ada', 'Eve') : line))
  t.match(await check(changed.join('\n')), { code: 1, err: /Entry 3 was changed/ })
  t.match(await check(lines.filter((_, i) => i !== 2).join('\n')), { code: 1, err: /between 2 and 4/ })
  t.match(await check('what\n'), { code: 1, err: /Line 1/ })
  t.match(await run('audit check /nowhere'), { code: 2, err: /nowhere/ })
})

t.test('domains of mail and of video are told of by the key that adds and removes them, once each', async (t) => {
  const { keys } = await testOrg(db, ['account:audit', 'email:manage', 'stream:write'])
  const key = keys.main
  const mail = await ask('POST /send/v1/domains', { key, body: { domain: 'shop.example' } })
  const again = await ask('POST /send/v1/domains', { key, body: { domain: 'shop.example' } })
  await ask('DELETE /send/v1/domains/shop.example', { key })
  const missing = await ask('DELETE /send/v1/domains/shop.example', { key })
  const hostname = 'video.shop.example'
  const video = await ask('POST /v1/stream/domains', { key, body: { hostname } })
  const twice = await ask('POST /v1/stream/domains', { key, body: { hostname } })
  await ask(`DELETE /v1/stream/domains/${video.body.id}`, { key })
  const gone = await ask(`DELETE /v1/stream/domains/${video.body.id}`, { key })
  t.same(
    [mail, again, missing, video, twice, gone].map(({ status }) => status),
    [201, 409, 404, 201, 409, 404],
  )
  const by = { actor: { kind: 'key', name: 'main' }, network: '127.0.0.0/24', request_id: String }
  const { data } = (await ask('GET /v1/account/audit', { key })).body
  t.match(data, [
    { ...by, action: 'video_domain.deleted', target: video.body.id, before: { hostname } },
    { ...by, action: 'video_domain.created', target: video.body.id, after: { hostname } },
    { ...by, action: 'email_domain.deleted', target: mail.body.id, before: { domain: 'shop.example' } },
    { ...by, action: 'email_domain.created', target: mail.body.id, after: { domain: 'shop.example' } },
  ])
  t.equal(data.length, 4, 'what was refused is not told of')
})

t.test('webhooks at the addresses of an area are told of, of their URL the host alone', async (t) => {
  const { keys } = await testOrg(db, ['account:audit', 'email:manage'])
  const key = keys.main
  const body = { url: 'https://hooks.example/a-secret-path', events: ['email.bounced'] }
  const { id } = (await ask('POST /send/v1/webhooks', { key, body })).body
  const path = `/send/v1/webhooks/${id}`
  t.match(await ask(`POST ${path}/rotate-secret`, { key, body: {} }), { status: 200, body: { secret: /^whsec_/ } })
  t.equal((await ask(`POST ${path}/enable`, { key })).status, 200)
  t.equal((await ask(`DELETE ${path}`, { key })).status, 200)
  for (const request of [`POST ${path}/enable`, `DELETE ${path}`]) t.equal((await ask(request, { key })).status, 404)
  const { text, body: told } = await ask('GET /v1/account/audit', { key })
  t.match(told.data, [
    { action: 'webhook.deleted', target: id },
    { action: 'webhook.enabled', target: id },
    { action: 'webhook.rotated', target: id },
    { action: 'webhook.created', target: id, after: { host: 'hooks.example', types: body.events, mode: null } },
  ])
  t.equal(told.data.length, 4)
  t.notMatch(text, /a-secret-path|whsec_/)
})

t.test(
  'a change that changes nothing adds no row, and an organisation has a limit of changes in an hour',
  async (t) => {
    const { org, keys } = await testOrg(db, ['account:keys', 'account:audit'])
    const key = keys.main as string
    const made = await ask('POST /v1/account/keys', { key, body: { name: 'one', scopes: ['account:audit'] } })
    t.equal(made.status, 201)
    const rename = (name: string) => ask(`PATCH /v1/account/keys/${made.body.id}`, { key, body: { name } })
    for (let n = 0; n < 5; n++) t.equal((await rename('two')).status, 200)
    const actions = async () =>
      await db.anyFirst(sql.type(z.object({ action: z.string() }))`
      select action from account.audit where org_id = ${org.id} order by number`)
    t.same(await actions(), ['key.created', 'key.changed'])

    const { number, hash } = await db.one(sql.type(z.object({ number: z.number(), hash: z.string() }))`
    select number, hash from account.audit where org_id = ${org.id} order by number desc limit 1`)
    const rest = config.AUDIT_ROWS_PER_HOUR - number
    const fill = (kind: 'key' | 'user', action: string) =>
      db.query(sql.typeAlias('void')`
    insert into account.audit (id, org_id, number, created_at, actor_kind, actor_name, action, previous_hash, hash)
    select gen_random_uuid(), ${org.id}, l.number + n, now(), ${kind}, 'k', ${action}, ${hash}, ${hash}
    from generate_series(1, ${rest}) as n, (select max(number) as number from account.audit where org_id = ${org.id}) as l`)
    await fill('user', 'session.refused')
    t.equal((await rename('three')).status, 200, 'what strangers cause counts for nothing')
    t.equal((await rename('two')).status, 200)
    await fill('key', 'key.changed')
    const refused = await rename('three')
    t.match(refused, { status: 429, body: { error: { code: 'rate_limited' } } })
    t.ok(refused.headers.get('retry-after'))
    t.equal((await ask(`GET /v1/account/keys/${made.body.id}`, { key })).body.name, 'two', 'the change is undone')
    const invitation = {
      org_id: org.id,
      email: 'late@people.example',
      role: 'viewer' as const,
      invited_by: null,
      hours: 1,
    }
    await invitations.insert(db, { ...invitation, made_by_key: made.body.id })
    t.equal((await ask(`DELETE /v1/account/keys/${made.body.id}`, { key })).status, 200, 'what ends something passes')
    t.match((await actions()).slice(-2), ['key.revoked', 'invitation.withdrawn'], 'with all that it has made')
    await scene(1)
  },
)

t.test('keys leave members a share of the changes of an hour', async (t) => {
  const { org } = await scene(1)
  await db.query(sql.typeAlias('void')`
    insert into account.audit (id, org_id, number, created_at, actor_kind, actor_name, action, previous_hash, hash)
    select gen_random_uuid(), ${org.id}, 1 + n, now(), 'key', 'k', 'key.changed', 'h', 'h'
    from generate_series(1, ${config.AUDIT_ROWS_PER_HOUR * 0.8}) as n`)
  const act = { orgId: org.id, action: 'key.created', target: 'late' }
  const append = (by: audit.Actor) => db.transaction((tx) => audit.append(tx, { ...act, actor: by }))
  await t.rejects(append({ kind: 'key', id: 'k1', name: 'k' }), { code: 'rate_limited' })
  await append(actor)
})

t.test('what is often repeated is told of once per actor and target, even at the same time', async (t) => {
  const { org, key } = await scene(0)
  const act = { orgId: org.id, actor, action: 'contents.read', target: 'v1' }
  const say = (more: Partial<audit.Act> = {}, minutes = 10) =>
    db.transaction((tx) => audit.appendUnlessRecent(tx, { ...act, ...more } as typeof act, minutes))
  await Promise.all(Array.from({ length: 6 }, () => say()))
  await say({ target: 'v2' })
  await say({ actor: { ...actor, id: 'u2' } })
  await say({ action: 'contents.shown' })
  const numbers = async () => (await ask('GET /v1/account/audit', { key })).body.data.length
  t.equal(await numbers(), 4)
  await say({}, 0)
  t.equal(await numbers(), 5, 'and again when the time is over')
})
