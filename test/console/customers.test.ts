import t from 'tap'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import * as grants from '#sql/account/people/support-grants.ts'
import * as users from '#sql/account/people/users.ts'
import * as requestDays from '#sql/account/usage/request-days.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { lockStoredBytes } from '#sql/account/usage/storage.ts'
import * as usage from '#sql/account/usage.ts'
import { sql } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as backlogs from '#sql/jobs/backlogs.ts'
import * as controls from '#sql/jobs/controls.ts'
import { ask as askOf, type Reply } from '../support/ingress.ts'
import { get, post, signIn, testConsole, tokenOf } from './fixture.ts'

const it = await testConsole(t)
const { db, url } = it
const cookie = await signIn(it)
const operator = await keys.findCaller(db, hashSecret(it.key))
const token = tokenOf(await get(url, '/ops', cookie))

const org = await orgs.insert(db, { name: 'Rapids & <Co>', plan: 'free' })
const other = await orgs.insert(db, { name: `Not ${org.id}`, plan: 'unlimited' })
const key = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'the <site>', scopes: ['email:send'] })
const ending = await keys.create(db, {
  ...{ orgId: other.id, prefix: 'bt_test_', name: 'of others', scopes: ['files:read'] },
  expires_at: new Date(Date.now() + 36 * 3_600_000),
})
const email = 'somebody@rapids.example'

/** What of a page people read, in one line. */
const textOf = ({ text }: Reply, part = /<main.*<\/main>/s) =>
  (part.exec(text)?.[0] ?? '').replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ')

/** A minute of requests that were answered with a class of statuses. */
const minute = (orgId: string, keyId: string, operation: string, digit: number, count: number) => ({
  ...{ org_id: orgId, key_id: keyId, operation, class: digit, count, process: newId() },
  ...{ at: new Date(Math.floor(Date.now() / 60_000) * 60_000), ms: count * 20 },
  buckets: [0, count, 0, 0, 0, 0, 0, 0],
})

const request = (orgId: string, keyId: string, status: number, code: string | null): requests.Request => ({
  ...{
    id: newId(),
    org_id: orgId,
    key_id: keyId,
    secret_id: null,
    client_id: null,
    operation: 'email.messages.create',
  },
  ...{
    status,
    code,
    ms: 12,
    bytes_in: 1,
    bytes_out: 1,
    network: '192.0.2.0/24',
    sdk: null,
    jobs: [],
    resource_id: null,
  },
  ...{ error: code ? { code, fields: ['body.to'] } : null, request_head: 'contents of a body', response_head: null },
})

t.before(async () => {
  const user = await users.insert(db, { email, name: 'Somebody', verified: true })
  await members.insert(db, { org_id: org.id, user_id: user?.id ?? '', role: 'owner', invited_by: null })
  await usage.add(db, 'email.messages', [
    { org_id: org.id, amount: 2_400 },
    { org_id: other.id, amount: 9_000 },
  ])
  await db.transaction(async (tx) => {
    await lockStoredBytes(tx, org.id)
    await tx.query(sql.typeAlias('void')`update account.storage set bytes = ${3 * 2 ** 29} where org_id = ${org.id}`)
  })
  await requestDays.makeDays(db)
  await minutes.write(db, [
    minute(org.id, key.id, 'email.messages.create', 2, 1_204),
    minute(org.id, key.id, 'email.messages.create', 4, 37),
    minute(other.id, ending.id, 'files.objects.list', 5, 3),
  ])
  await minutes.rollUp(db)
  await requests.write(db, [request(org.id, key.id, 422, 'bad_address'), request(other.id, ending.id, 500, 'internal')])
  await backlogs.add(db, [{ pool: 'core', org_id: org.id, priority: 0, waiting: 12, begun: 0 }])
})

/** Does an action as the form of its question does; what the next page tells. */
async function tell(action: string, fields: Record<string, string>): Promise<string> {
  const reply = await post(url, `/ops/confirm/${action}`, { token, ...fields }, { cookie })
  if (reply.status !== 303) return `${reply.status} ${textOf(reply)}`
  return textOf(await get(url, '/ops/actions', cookie), /<p class="told" role="status">(.*?)<\/p>/s).trim()
}

const actsOf = (orgId: string) => audit.list(db, orgId, { where: everything, before: undefined, limit: 100 })

t.test('organisations are listed with what they have, and found by name, id and plan', async (t) => {
  const all = await get(url, '/ops/organisations', cookie)
  t.match(textOf(all), `Rapids &amp; &lt;Co&gt; free 1 1 `)
  t.match(all.text, /Customers<\/summary>\s*<ul><li><a href="\/ops\/organisations" aria-current="page">/)
  for (const [query, found, missed] of [
    ['search=rapids', org, other],
    [`search=${org.id.toUpperCase()}`, org, other],
    [`search=${encodeURIComponent('not ')}`, other, org],
    ['plan=free', org, other],
  ] as const) {
    const { text } = await get(url, `/ops/organisations?${query}`, cookie)
    t.match(text, `/ops/organisations/${found.id}"`, query)
    t.notMatch(text, `/ops/organisations/${missed.id}"`, `${query}: ${missed.id}`)
  }
  t.match(textOf(await get(url, '/ops/organisations?search=nobody', cookie)), 'No organisations match these filters.')
  t.equal((await get(url, '/ops/organisations?search=%00', cookie)).status, 400)
  t.equal((await get(url, '/ops/organisations?before=x', cookie)).status, 400)
})

t.test('more organisations than fit go on with those that are older', async (t) => {
  const many = await Promise.all(
    Array.from({ length: 51 }, (_, n) => orgs.insert(db, { name: `Crowd ${n}`, plan: 'free' })),
  )
  const first = await get(url, '/ops/organisations?search=crowd', cookie)
  const next = /href="(\/ops\/organisations\?search=crowd&amp;before=[^"]+)"/.exec(first.text)?.[1] ?? ''
  const second = await get(url, next.replaceAll('&amp;', '&'), cookie)
  const shown = [first, second].flatMap(({ text }) => text.match(/<th scope="row"/g)?.length ?? 0)
  t.strictSame(shown, [50, 1])
  for (const { id } of many) t.ok(first.text.includes(id) !== second.text.includes(id))
})

t.test('an organisation shows its plan, keys, people by number, usage, requests and what waits', async (t) => {
  const page = await get(url, `/ops/organisations/${org.id}`, cookie)
  t.equal(page.status, 200)
  const text = textOf(page)
  for (const fact of [
    'Rapids &amp; &lt;Co&gt;',
    'Plan free',
    'Members 1 Members with the owner role 1',
    'Storage 1.5 GiB',
    'the &lt;site&gt;',
    key.secret.slice(0, 'bt_live_'.length + 4),
    'email:send',
    '2,400 messages 3,000 messages 80 % month',
    'email.messages.create 1,204 0 37 0 20 ms',
    'core 12 1 %',
    'requests per minute per server key 300 requests',
  ]) {
    t.match(text, fact)
  }
  t.notMatch(text, 'of others')
  t.notMatch(page.text, email)
  t.match(textOf(await get(url, `/ops/organisations/${other.id}`, cookie)), /of others.*in 1 d/)
  await closures.request(db, { orgId: other.id, kind: 'operator', name: 'main', days: 14 })
  t.match(
    textOf(await get(url, `/ops/organisations/${other.id}`, cookie)),
    'This organisation is being closed. Deletion of its data starts on',
  )
  await closures.cancel(db, other.id)
  t.notMatch(textOf(await get(url, `/ops/organisations/${other.id}`, cookie)), 'is being closed')
  t.equal((await get(url, `/ops/organisations/${newId()}`, cookie)).status, 404)
  t.equal((await get(url, '/ops/organisations/nonsense', cookie)).status, 404)
})

t.test('keys are found by their beginning, their organisation, and what is wrong with them', async (t) => {
  const old = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'the old one', scopes: ['email:send'] })
  await db.query(sql.typeAlias('void')`
    update account.keys set created_at = now() - interval '60 days', last_used_at = now() - interval '31 days' where id = ${old.id}`)
  const names = { site: 'the &lt;site&gt;', ending: 'of others', old: 'the old one' }
  for (const [query, ...found] of [
    ['', 'site', 'ending', 'old'],
    [`start=${key.secret.slice(0, 11)}`, 'site'],
    ['start=bt_test_', 'ending'],
    ['org=rapids', 'site', 'old'],
    [`org=${other.id}`, 'ending'],
    ['state=unused', 'old'],
    ['state=expiring', 'ending'],
    ['state=ended'],
  ] as const) {
    const text = textOf(await get(url, `/ops/keys?${query}`, cookie))
    for (const [name, words] of Object.entries(names)) {
      t.equal(text.includes(words), (found as readonly string[]).includes(name), `${query}: ${name}`)
    }
  }
  t.equal((await get(url, `/ops/keys?start=${key.secret}`, cookie)).status, 400, 'a whole secret is not looked up')
})

t.test('usage is told by organisation, with its share of the limit', async (t) => {
  const most = textOf(await get(url, '/ops/usage', cookie))
  t.match(most, 'Total 11,400 messages Organisations 2')
  t.match(most, /Not .* 9,000 messages .*Rapids &amp; &lt;Co&gt; free 2,400 messages 3,000 messages 80 %/)
  const share = textOf(await get(url, '/ops/usage?metric=email.messages&order=share', cookie))
  t.match(share, /Rapids &amp; &lt;Co&gt; free 2,400.*Not .* 9,000 messages/)
  await db.query(sql.typeAlias('void')`
    insert into account.budgets (org_id, metric, period, hard, alert_at) values (${org.id}, 'email.messages', 'month', 2000, '{80}')`)
  t.match(textOf(await get(url, '/ops/usage', cookie)), '2,400 messages 2,000 messages 120 %')
  t.match(textOf(await get(url, '/ops/usage?metric=storage.bytes', cookie)), 'free 1.5 GiB 10 GiB 15 %')
  t.match(textOf(await get(url, '/ops/usage?metric=trust.checks', cookie)), 'No organisation has usage of this metric.')
})

t.test('requests are counted by operation and class, each once whether its hour is made or not', async (t) => {
  for (const span of ['1h', '24h', '7d']) {
    const text = textOf(await get(url, `/ops/requests?span=${span}`, cookie))
    t.match(text, 'All requests 1,244 Rejected (4xx) 37 Failed (5xx) 3', span)
    t.match(text, 'email.messages.create 1,204 0 37 0 20 ms', span)
    t.match(text, new RegExp(`Not ${org.id} 0 0 0 3 Rapids &amp; &lt;Co&gt; 1,204 0 37 0`), span)
  }
})

t.test('hours that are over are counted by the hour, their minutes no second time', async (t) => {
  const at = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000 + 60_000)
  const row = { ...minute(org.id, key.id, 'trust.checks.create', 2, 5), at }
  await minutes.write(db, [row])
  await db.query(sql.typeAlias('void')`
    insert into account.request_hours (org_id, at, key_id, operation, class, count, ms, buckets)
    select org_id, date_trunc('hour', at, 'UTC'), key_id, operation, class, count, ms, buckets
    from account.request_minutes where operation = 'trust.checks.create'`)
  t.match(textOf(await get(url, '/ops/requests?span=24h', cookie)), 'trust.checks.create 5 0 0 0')
  t.notMatch(textOf(await get(url, '/ops/requests?span=1h', cookie)), 'trust.checks.create')
})

t.test(
  'the log of an organisation is read while an owner lets operators, and each look is on its record',
  async (t) => {
    const path = `/ops/requests/${org.id}`
    const walled = await get(url, path, cookie)
    t.match(textOf(walled), 'email.messages.create 1,204 0 37 0')
    t.match(textOf(walled), 'No owner of this organisation allows operators to read its request log')
    t.notMatch(walled.text, 'bad_address')
    t.strictSame(await actsOf(org.id), [], 'nothing was read')

    const owner = (await members.list(db, org.id, { limit: 1, before: undefined }))[0]?.user_id ?? ''
    const grant = await grants.insert(db, { orgId: org.id, grantedBy: owner, reason: 'mails <bounce>', hours: 1 })
    const shown = await get(url, path, cookie)
    t.match(textOf(shown), /until [-\d: ]+ UTC: mails &lt;bounce&gt;/)
    t.match(textOf(shown), /422 bad_address body.to the &lt;site&gt; 12 ms 192.0.2.0\/24/)
    t.notMatch(shown.text, 'contents of a body')
    t.notMatch(shown.text, 'internal', 'nothing of another organisation')
    t.match(textOf(await get(url, `${path}?class=5`, cookie)), 'No requests match these filters.')
    const { id, name } = operator?.key ?? {}
    const look = { action: 'support.read', target: 'requests', actor_kind: 'operator', actor_id: id, actor_name: name }
    t.match(await actsOf(org.id), [look, look])
    t.equal((await actsOf(org.id)).length, 2)

    t.match(textOf(await get(url, `/ops/requests/${other.id}`, cookie)), 'No owner of this organisation allows')
    t.match(
      textOf(await get(url, `/ops/organisations/${org.id}`, cookie)),
      'An owner allows operators to read metadata',
    )
    await db.transaction((tx) => grants.end(tx, org.id, grant.id))
    t.notMatch((await get(url, path, cookie)).text, 'bad_address', 'it ends at once')
    t.equal((await actsOf(org.id)).length, 2)
    t.equal((await get(url, `/ops/requests/${newId()}`, cookie)).status, 404)
  },
)

t.test('a plan is set with a word of confirmation, and told on both records', async (t) => {
  const question = await get(url, `/ops/confirm/set-plan?org=${org.id}`, cookie)
  t.match(textOf(question), 'Set the plan of Rapids &amp; &lt;Co&gt;?')
  t.match(question.text, '<option selected>free</option>')
  t.equal(
    await tell('set-plan', { org: org.id, plan: 'unlimited' }),
    'Rapids &amp; &lt;Co&gt; is on the unlimited plan.',
  )
  t.equal((await orgs.find(db, org.id))?.plan, 'unlimited')
  t.equal(
    await tell('set-plan', { org: org.id, plan: 'unlimited' }),
    'Rapids &amp; &lt;Co&gt; was already on the unlimited plan.',
  )
  const change = { before: { plan: 'free' }, after: { plan: 'unlimited' } }
  const acts = (await actsOf(org.id)).filter(({ action }) => action === 'organisation.plan_changed')
  t.match(acts, [{ actor_kind: 'operator', actor_id: operator?.key.id, target: org.id, ...change }])
  t.equal(acts.length, 1)
  const target = `Rapids & <Co> (${org.id}) from free to unlimited`
  t.match(await controls.actions(db, { limit: 1 }), [{ action: 'set plan', target, actor: `${operator?.key.id} main` }])
  t.match(await tell('set-plan', { org: org.id, plan: 'none' }), /^400 .*plan: must be one of/)
  t.match(await tell('set-plan', { org: newId(), plan: 'free' }), /^404/)
  t.match(await tell('set-plan', { org: 'x' }), /^400 .*org.*plan/)
})

t.test('a key is revoked with a word of confirmation, of its own organisation alone', async (t) => {
  t.match(
    textOf(await get(url, `/ops/confirm/revoke-key?org=${org.id}&key=${key.id}`, cookie)),
    'Revoke API key the &lt;site&gt;?',
  )
  const own = `/ops/confirm/revoke-key?org=${it.orgId}&key=${operator?.key.id}`
  t.match(textOf(await get(url, own, cookie)), 'This key is also used to sign in to this console')
  t.match(await tell('revoke-key', { org: other.id, key: key.id }), /^404/)
  t.ok(await keys.findCaller(db, hashSecret(key.secret)))
  t.equal(
    await tell('revoke-key', { org: org.id, key: key.id, reason: 'it <leaked>' }),
    'API key the &lt;site&gt; revoked.',
  )
  t.equal(await keys.findCaller(db, hashSecret(key.secret)), null)
  t.equal(await tell('revoke-key', { org: org.id, key: key.id }), 'API key the &lt;site&gt; was already revoked.')
  const acts = (await actsOf(org.id)).filter(({ action }) => action === 'key.revoked')
  t.match(acts, [{ actor_kind: 'operator', target: key.id, before: { name: 'the <site>' } }])
  t.equal(acts.length, 1)
  const target = `key ${key.id} of ${org.id}`
  t.match(await controls.actions(db, { limit: 1 }), [{ action: 'revoke', target, reason: 'it <leaked>' }])
  t.match(textOf(await get(url, '/ops/keys?state=ended', cookie)), /the &lt;site&gt; .*revoked \d+ s ago/)
})

t.test('no page shows a secret or a hash, and none is shown to who is not signed in', async (t) => {
  const paths = [
    '/ops/organisations',
    `/ops/organisations/${org.id}`,
    `/ops/organisations/${other.id}`,
    '/ops/keys',
    '/ops/keys?state=ended',
    '/ops/usage',
    '/ops/requests',
    `/ops/requests/${org.id}`,
    `/ops/confirm/set-plan?org=${org.id}`,
    `/ops/confirm/revoke-key?org=${other.id}&key=${ending.id}`,
  ]
  for (const path of paths) {
    const { status, text } = await get(url, path, cookie)
    t.equal(status, 200, path)
    for (const { secret } of [key, ending]) {
      t.notMatch(text, secret.slice(0, 14), path)
      t.notMatch(text, hashSecret(secret).slice(0, 16), path)
    }
    const stranger = await get(url, path, 'millrace_ops=none')
    t.match([stranger.status, stranger.headers.get('location')], [303, /^\/ops\/sign-in\?to=/], path)
  }
  const twice = [
    '/ops/confirm/set-plan?org=a&org=b',
    '/ops/confirm/set-plan?org=a',
    '/ops/confirm/revoke-key?org=a&key=b',
  ]
  for (const path of [
    ...twice,
    ...paths.map((path) => `${path}${path.includes('?') ? '&' : '?'}page=1&page=2&q=a&q=b&org=a&org=b`),
  ]) {
    const { status } = await get(url, path, cookie)
    t.ok(status < 500, `${status} for ${path}`)
  }
  t.equal((await get(url, '/ops/confirm/set-plan?org=a&org=b', cookie)).status, 400)
  const form = `token=${token}&org=${other.id}&org=${org.id}&plan=free`
  const sent = await askOf(url, 'POST /ops/confirm/set-plan', {
    raw: form,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: url,
      'sec-fetch-site': 'same-origin',
      cookie,
    },
  })
  t.equal(sent.status, 400, 'a repeated field')
  const unsigned = await post(url, '/ops/confirm/set-plan', { token, org: other.id, plan: 'free' })
  t.equal(unsigned.headers.get('location'), '/ops/sign-in')
  t.equal((await orgs.find(db, other.id))?.plan, 'unlimited')
})
