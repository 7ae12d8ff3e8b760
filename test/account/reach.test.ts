import '../support/work-environment.ts'
import t from 'tap'
import { z } from 'zod'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { getLockRule, lockNames, type PartLock } from '#tasks/account/rules/locks.ts'
import { type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { areas } from '../../ingress/areas.ts'
import { provide } from '../../ingress/http/container.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { newId } from '../../lib/ids.ts'
import { askStream } from '../support/ask-stream.ts'
import { testDatabase } from '../support/database.ts'
import { operationsOf, plainOf, resolver, someId } from '../support/extremes.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { idsOf, markedRows, wayOf } from '../support/marked-rows.ts'
import { sample } from '../support/sample.ts'
import { testStore } from '../support/video-stack.ts'

t.setTimeout(300_000)
const { db } = await testDatabase(t)
const store = await testStore(t)
const services = [
  provide(signingSecret, 'a secret of this test, long enough to sign with'),
  provide(storage, store.storage),
]
const { ask, url } = await testIngress(t, db, [], { services })

/** Stands in every text of the live rows. */
const mark = 'zzlivezz'
const everyScope = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')
const { org, keys } = await testOrg(db, everyScope)
const said = async (request: string, body: unknown) => (await ask(request, { key: keys.main as string, body })).body
const made = await markedRows(db, org.id, said, mark)
const live = (await keyRows.list(db, org.id)).at(-1)?.id ?? ''
const logged = newId()
await db.query(sql.unsafe`
  insert into account.requests (id, org_id, key_id, operation, status, ms, network, jobs, request_head)
  values (${logged}, ${org.id}, ${live}, 'email.messages.create', 500, 1, '127.0.0.0/24', '{}', ${mark})`)
const ids = [...new Set([...made.flatMap(idsOf), live, logged])]

const document = createOpenapi(areas) as unknown as Parameters<typeof operationsOf>[0]
const resolve = resolver(document)
const bodies = new Map(operationsOf(document).map(({ id, body }) => [id, body && plainOf(body, resolve)]))
const operations = areas
  .flatMap((area) => area.operations)
  .filter(({ route }) => route.scope !== undefined && !route.hidden && !/^\/(app|ops)\b/.test(route.path))
  .map((operation) => ({ ...operation, body: bodies.get(operation.id) }))

/** What an operation is asked with: ids of live rows in its path and body. */
function* requestsOf({ path, route, body }: (typeof operations)[number]) {
  const text = JSON.stringify(body)
  const query = new URLSearchParams(route.method === 'GET' ? { tenant_id: mark } : {})
  const at = operations.findIndex((one) => one.path === path)
  for (const id of path.includes('{') || text?.includes(someId) ? sample(ids, 5, at) : ids.slice(0, 1)) {
    const given = text === undefined ? undefined : JSON.parse(text.replaceAll(someId, id))
    const way = wayOf(path, mark, id)
    yield { request: `${route.method} ${way}`, given }
    if (route.query?.safeParse({ tenant_id: mark }).success && route.method === 'GET')
      yield { request: `GET ${way}?${query}`, given }
  }
}

/** Every row of the organisation, as a hash of what it says; that it was used is no change. */
async function held(): Promise<ReadonlySet<string>> {
  const Table = z.object({ name: z.string() })
  const tables = await db.anyFirst(sql.type(Table)`
    select c.oid::regclass::text as name from pg_class as c join pg_attribute as a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'org_id'
      and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema') order by 1`)
  const hashes = new Set<string>()
  for (const table of tables.filter((name) => !counters.has(name))) {
    const rows = await db.anyFirst(sql.type(z.object({ hash: z.string() }))`
      select md5((to_jsonb(x) - array['last_used_at', 'first_used_at'])::text) as hash
      from ${sql.identifier(table.replaceAll('"', '').split('.'))} as x where org_id = ${org.id}`)
    for (const hash of rows) hashes.add(`${table} ${hash}`)
  }
  return hashes
}

/** Tables that count requests and their cost. */
const counters = new Set([
  'jobs.shares',
  'account.limits',
  'account.request_minutes',
  'account.usage_daily',
  'account.idempotency',
])

const keyOf = async (wanted: Partial<keyRows.NewKey>): Promise<string> =>
  (await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'tried', scopes: everyScope, ...wanted })).secret

/** Asks all requests of some operations and returns what was amiss. */
async function faultsOf(
  some: typeof operations,
  key: string,
  faultOf: (reply: Reply, request: string) => string | undefined,
) {
  const faults: string[] = []
  for (const operation of some) {
    for (const { request, given } of requestsOf(operation)) {
      const isStream = operation.route.raw === 'text/event-stream'
      const reply = isStream ? await askStream(url, request, key) : await ask(request, { key, body: given })
      const fault = reply.status === 500 ? reply.text : faultOf(reply, `${request} ${JSON.stringify(given)}`)
      if (fault) faults.push(`${operation.id}: ${request} ${fault}`)
    }
  }
  return faults
}

const shows = ({ text }: Reply, request: string) =>
  text.includes(mark) && !request.includes(mark) ? 'shows it' : undefined

/** Settings by which test keys send, and what belongs to no organisation. */
const shared = [
  ...['account.organisation.read', 'account.whoami.read', 'account.key-checks.locks', 'account.events.readSettings'],
  'ai.models.get',
  'ai.models.list',
  ...['bots.templates.list', 'bots.templates.read', 'bots.directory.list', 'email.domains.list', 'email.domains.read'],
  ...[
    'email.segments.list',
    'email.segments.read',
    'email.verify.one',
    'email.verify.bulk',
    'email.templates.list',
    'email.templates.read',
    'email.template-drafts.read',
    'email.template-versions.list',
    'email.template-versions.read',
    'email.topics.list',
    'email.topics.read',
  ],
  ...['email.templates.preview', 'erp.companies.officers', 'erp.companies.read', 'erp.companies.search'],
  ...['erp.matches.match', 'erp.relations.list'],
  ...['erp.registers.changes', 'erp.registers.list', 'geo.lookups.batch', 'geo.lookups.caller', 'geo.lookups.me'],
  ...['geo.lookups.read', 'push.apps.list', 'push.apps.read', 'push.templates.list', 'push.templates.read'],
  ...['verify.settings.read', 'voice.dids.list', 'voice.status.read', 'whatsapp.numbers.list', 'whatsapp.numbers.read'],
  ...['whatsapp.templates.list', 'whatsapp.templates.read'],
]

t.test('a test key with every scope reads, changes and deletes no live row at any operation', async (t) => {
  const test = await keyOf({ prefix: 'bt_test_' })
  const before = await held()
  const [without, sandboxed] = [undefined, 'sandbox'].map((kind) =>
    operations.filter(({ route }) => route.testKeys === kind),
  ) as [typeof operations, typeof operations]
  t.ok(
    without.length > 200 && sandboxed.length > 70,
    `${without.length} without a sandbox, ${sandboxed.length} with one`,
  )
  t.same(await faultsOf(without, test, ({ status }) => (status === 403 ? undefined : `answers ${status}`)), [])
  // The domain that mail leaves from is a setting.
  const named = (reply: Reply, request: string) =>
    shows({ ...reply, text: reply.text.replace(`hello@${mark}.example`, '') }, request)
  t.same(await faultsOf(sandboxed, test, named), [])
  const both = operations.filter(({ route }) => route.testKeys === 'shared')
  t.same(both.map(({ id }) => id).sort(), [...shared].sort(), 'settings that test keys read')
  t.same(await faultsOf(both, test, () => undefined), [])
  const after = await held()
  t.same(
    [...before].filter((row) => !after.has(row)),
    [],
  )
})

t.test('a notification of a test key is addressed by nothing that is live', async (t) => {
  const test = await keyOf({ prefix: 'bt_test_' })
  await said(`PUT /v1/notify/people/${mark}`, { email: `${mark}@people.example` })
  const event = { product_key: 'shop', type: 'order.shipped', subject_user_id: mark, title: 'Shipped' }
  const reply = await ask('POST /v1/notify/events', { key: test, body: { ...event, channels: ['email'] } })
  const mail = reply.body.channels.find(({ channel }: { channel: string }) => channel === 'email')
  t.match(mail, { used: false, reason: 'no_address' })
  t.notMatch((await ask('GET /v1/account/test-messages', { key: test })).text, `${mark}@people.example`)
})

t.test('a locked key reaches nothing beyond its lock at any operation', async (t) => {
  const before = await held()
  const other: Record<PartLock, keyRows.Locks> = {
    from_domains: { from_domains: ['other.example'] },
    app_id: { app_id: newId() },
    site_id: { site_id: newId() },
    tenant_id: { tenant_id: 'other' },
  }
  for (const name of lockNames) {
    if (name === 'origins' || name === 'calls') continue
    const key = await keyOf({ locks: other[name] })
    const ruled = (rule: string) => operations.filter(({ route }) => getLockRule(route.locks, name) === rule)
    t.ok(ruled('refuses').length > 250, `${name} is refused ${ruled('refuses').length} operations`)
    const refused = ruled('refuses').map((one) => ({ ...one, path: wayOf(one.path, mark, someId), body: undefined }))
    t.same(await faultsOf(refused, key, ({ status }) => (status === 403 ? undefined : `answers ${status}`)), [], name)
    t.same(await faultsOf(ruled('binds'), key, shows), [], name)
  }
  const after = await held()
  t.same(
    [...before].filter((row) => !after.has(row)),
    [],
  )
})
