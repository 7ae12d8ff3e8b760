import '../support/work-environment.ts'
import t from 'tap'
import { z } from 'zod'
import * as members from '#sql/account/people/members.ts'
import { sql } from '#sql/db.ts'
import { type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { areas } from '../../ingress/areas.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { idsOf, markedRows, wayOf } from '../support/marked-rows.ts'
import { sample } from '../support/sample.ts'
import { testStore } from '../support/video-stack.ts'
import { get, type SignedIn, signedIn, tokenOf } from './fixture.ts'

t.setTimeout(600_000)
const { db } = await testDatabase(t)
const store = await testStore(t)
const services = [
  provide(signingSecret, 'a secret of this test, long enough to sign with'),
  provide(storage, store.storage),
]
const { url } = await testIngress(t, db, [], { services })

/** Stands in every text that the other organisation has. */
const mark = 'zzforeignzz'

const everyScope = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')
const { org: foreign, keys: foreignKeys } = await testOrg(db, everyScope)
const key = foreignKeys.main as string
const said = async (request: string, body: unknown) => (await ask(url, request, { key, body })).body
const foreignOwner = await signedIn(db, url, foreign.id, 'owner')
const made = await markedRows(db, foreign.id, said, mark)
const ids = [...new Set([...made.flatMap(idsOf), foreignOwner.userId, foreignOwner.sessionId])]

let turn = 0

/** What a way has in place of its names: things of the other organisation. Each way gets other ones. */
function waysOf(path: string): string[] {
  return path.includes('{') ? sample(ids, 4, turn++).map((id) => wayOf(path, mark, id)) : [path]
}

const operations = areas.flatMap((area) => area.operations).filter(({ path }) => /^\/app($|\/)/.test(path))
// Ways in and out, and what would end the organisation that the test works in.
const signing = /^\/app\/(sign-|join|step-up|passkeys|assets|scripts|you|regions|leaving)/
const pages = operations.filter(({ path, route }) => route.method === 'GET' && !signing.test(path))
const forms = operations.filter(({ path, route }) => route.method === 'POST' && !signing.test(path))
const { org } = await testOrg(db, [])

/** All rows of the other organisation that a page could change. */
async function held() {
  const tables = ['account.keys', 'account.key_secrets', 'account.members', 'account.invitations', 'account.budgets']
  const more = [
    'webhooks.endpoints',
    'email.domains',
    'email.templates',
    'email.contacts',
    'email.segments',
    'email.campaigns',
    'email.suppressions',
    'push.apps',
  ]
  const Row = z.object({ hash: z.string().nullable() })
  const events = ['work.jobs', 'work.schedules', 'work.flows', 'hooks.apps', 'intake.sources', 'automation.rules']
  const media = ['video.assets', 'live.channels', 'rooms.rooms', 'files.objects', 'email.messages']
  const rows = await Promise.all(
    [...tables, ...more, ...media, ...events].map((table) =>
      db.oneFirst(sql.type(Row)`
        select md5(string_agg((to_jsonb(x) - 'last_used_at')::text, '|' order by (to_jsonb(x) - 'last_used_at')::text)) as hash from ${sql.identifier(table.split('.'))} as x
        where x::text like ${`%${foreign.id}%`} or x::text like ${`%${ids[0]}%`}`),
    ),
  )
  return rows
}

/** Each way of some operations: an owner asks all of them, of the other roles each its part. */
async function tries(some: typeof pages) {
  const signed = await Promise.all(
    members.Role.options.map(async (role) => ({ role, member: await signedIn(db, url, org.id, role) })),
  )
  const others = members.Role.options.filter((role) => role !== 'owner')
  return signed.flatMap(({ role, member }) =>
    some.flatMap(({ path }) =>
      waysOf(path)
        .filter((_, i, all) => role === 'owner' || all.length === 1 || others[i % others.length] === role)
        .map((way) => ({ role, member, path, way, what: `${role} at ${way}` })),
    ),
  )
}

/** What of an answer shows the other organisation, or breaks. */
function faultOf({ text, status }: Reply, way: string): string[] {
  const shown = text.includes(mark) && !way.includes(mark)
  return [...(shown ? ['tells of it'] : []), ...(status >= 500 && status !== 503 ? [`answers ${status}`] : [])]
}

t.test('no role sees a thing of another organisation on any page, and nobody unknown sees a page', async (t) => {
  t.ok(pages.length > 40, `${pages.length} pages`)
  const faults: string[] = []
  for (const { member, path, way, what } of await tries(pages)) {
    const page = await get(url, way, member)
    // Customers choose the IDs of people, so a page of a person who has none yet is shown.
    const opened =
      /\{(?!metric)/.test(path) && !/^\/app\/notify\/person\//.test(path) && page.status < 300 ? ['is shown'] : []
    faults.push(...[...opened, ...faultOf(page, way)].map((fault) => `${what} ${fault}`))
  }
  t.same(faults, [])
  // 400: the path cannot be one, such as a step whose number is an ID.
  for (const { path } of pages) {
    const { status } = await ask(url, `GET ${waysOf(path)[0]}`)
    t.ok(status === 303 || status === 400, `${path} answers ${status}`)
  }
})

t.test('no role changes a thing of another organisation, and no form is taken without its token', async (t) => {
  const before = await held()
  t.ok(forms.length > 40, `${forms.length} forms`)
  const faults: string[] = []
  const all = await tries(forms)
  const tokens = new Map<string, string>()
  for (const { member, way, what, role } of all) {
    const token = tokens.get(role) ?? tokenOf(await get(url, '/app', member))
    tokens.set(role, token)
    const reply = await post(way, member, { token, role: 'owner', name: 'x' })
    faults.push(...faultOf(reply, way).map((fault) => `${what} ${fault}`))
  }
  // Whoever forges a form finds an owner's browser most worth it.
  const ofOwner = new Map(all.filter(({ role }) => role === 'owner').map((one) => [one.path, one]))
  for (const { member, way, what } of ofOwner.values()) {
    const { status } = await post(way, member, { token: 'forged', role: 'owner' })
    if (![303, 400, 403, 404].includes(status)) faults.push(`${what} is taken though forged: ${status}`)
  }
  t.same(faults, [])
  t.same(await held(), before)
})

t.test(
  'no operation of the API shows or changes a thing of another organisation to a key with every scope',
  async (t) => {
    const { keys } = await testOrg(db, everyScope)
    const before = await held()
    const own = areas.flatMap((area) => area.operations).filter(({ path, route }) => /\{/.test(path) && route.scope)
    t.ok(own.length > 90, `${own.length} operations`)
    const faults: string[] = []
    const bodies = new Map([
      ['POST', {}],
      ['PUT', {}],
      ['PATCH', { name: 'x' }],
    ])
    for (const { path, route } of own.filter(({ route }) => !route.site)) {
      for (const way of waysOf(path)) {
        const body = route.body ? bodies.get(route.method) : undefined
        const reply = await ask(url, `${route.method} ${way}`, { key: keys.main as string, body })
        // Whoever has put a person by an id, as this does before, has one of that id.
        const shown =
          route.method === 'GET' &&
          reply.status < 300 &&
          !/metric|domain|email|notify\/(people|person)|v1\/people\/\{user_id/.test(path)
            ? ['is shown']
            : []
        faults.push(...[...shown, ...faultOf(reply, way)].map((fault) => `${route.method} ${way} ${fault}`))
      }
    }
    t.same(faults, [])
    t.same(await held(), before)
  },
)

async function post(way: string, { cookie }: SignedIn, fields: Record<string, string>): Promise<Reply> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, 'sec-fetch-site': 'same-origin' }
  return await ask(url, `POST ${way}`, { raw: new URLSearchParams(fields).toString(), headers: { ...form, cookie } })
}
