import t from 'tap'
import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { areas } from '../../ingress/areas.ts'
import { area } from '../../ingress/http/area.ts'
import { listRoute } from '../../ingress/http/lists/pagination.ts'
import { getBodyLimit } from '../../ingress/http/request/body.ts'
import { parseWithFaults } from '../../ingress/http/request/issues.ts'
import { parseJson } from '../../ingress/http/request/json.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'

const list = listRoute({
  path: '/boxes',
  summary: 'List boxes',
  scope: 'files:read',
  otherParams: ['status', 'tag'],
  query: { status: z.enum(['open', 'shut']).optional(), tag: z.array(z.string()).optional() },
  item: z.object({ id: z.string() }),
  rows: async () => [],
  present: (row) => row,
})

const page = route({
  method: 'GET',
  path: '/page',
  summary: 'A page that links lead to',
  public: true,
  ignoresOtherQuery: true,
  status: 200,
  query: z.object({ at: z.string().optional() }),
  reply: z.object({ at: z.string().nullable() }),
  handle: async ({ query }) => ({ at: query.at ?? null }),
})

const plain = route({
  method: 'POST',
  path: '/plain',
  summary: 'Take anything of a visitor',
  public: true,
  status: 200,
  body: z.strictObject({ list: z.array(z.strictObject({ a: z.string() })).optional() }),
  reply: z.object({}),
  handle: async () => ({}),
})

const boxes = area({
  name: 'boxes',
  title: 'Boxes',
  description: '',
  base: '/v1',
  routes: { boxes: { list, page, plain } },
})

const issuesOf = (reply: Reply): Record<string, string> =>
  Object.fromEntries((reply.body.error.details as Fault[]).map(({ field, issue }) => [field, issue]))

t.test('a query that was not meant so is refused', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db, [boxes])
  const key = (await testOrg(db, ['files:read'])).keys.main

  await t.test('each parameter that is not known is named, and those that are', async (t) => {
    const reply = await ask('GET /v1/boxes?stauts=open&limt=5&tag=a&tag=b', { key })
    t.equal(reply.status, 400)
    t.match(issuesOf(reply), {
      'query.stauts': 'is not a parameter of this request',
      'query.limt': 'is not a parameter of this request',
      query: 'must have only the parameters `limit`, `cursor`, `status`, `tag`',
    })
    t.equal((await ask('GET /v1/boxes?tag=a&tag=b&status=open', { key })).status, 200)
    t.match(issuesOf(await ask('POST /v1/plain?x=1', { body: {} })), { query: 'must be empty' })
  })

  await t.test('a page that links lead to ignores what trackers add', async (t) => {
    t.same((await ask('GET /v1/page?at=x&utm_source=mail&fbclid=1')).body, { at: 'x' })
  })

  await t.test('more than 200 parameters are counted, not read', async (t) => {
    for (const path of ['boxes', 'page']) {
      const reply = await ask(`GET /v1/${path}?${'a&'.repeat(3_900)}`, { key })
      t.same(issuesOf(reply), { query: 'must have at most 200 parameters' }, path)
    }
    const most = Array.from({ length: 200 }, (_, i) => `tag=${i}`).join('&')
    t.equal((await ask(`GET /v1/boxes?${most}`, { key })).status, 200)
  })

  await t.test('a hundred strange parameters are told as twenty, and how many more', async (t) => {
    const reply = await ask(`GET /v1/boxes?${Array.from({ length: 100 }, (_, i) => `p${i}=`).join('&')}`, { key })
    t.equal(reply.body.error.details.length, 21)
    t.same(reply.body.error.details.at(-1), { field: 'request', issue: 'has 81 more invalid fields' })
  })

  await t.test('what anybody may send has 16 KiB at most', async (t) => {
    const body = { list: [{ a: 'x'.repeat(17 * 1024) }] }
    t.equal((await ask('POST /v1/plain', { body })).status, 413)
  })
})

t.test('faults of a body are told in twenty lines', async (t) => {
  const Body = z.strictObject({ list: z.array(z.strictObject({ a: z.string(), b: z.int() })).max(5_000) })
  const faultsOf = (value: unknown): Fault[] => {
    const faults: Fault[] = []
    parseWithFaults(Body, value, 'body', faults)
    return badRequest(faults).details as Fault[]
  }
  const wrong = faultsOf({ list: Array.from({ length: 5_000 }, () => ({})) })
  t.equal(wrong.length, 21)
  t.same(wrong[0], { field: 'body.list.0.a', issue: 'is required' })
  t.same(wrong.at(-1), { field: 'request', issue: 'has 9980 more invalid fields' })
  const strange = faultsOf({ list: [], ...Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 1])) })
  t.same(strange.at(-1), { field: 'request', issue: 'has 880 more invalid fields' })
  t.same(
    faultsOf({ list: 'a'.repeat(5_001) }),
    [{ field: 'body.list', issue: 'must be a list' }],
    'what is of another kind is not measured, too',
  )
  const [long] = faultsOf({ list: [], [`${'k'.repeat(5_000)}`]: 1 })
  t.ok((long?.field.length ?? 0) <= 201, 'a name that the client made up is cut')
})

t.test('JSON is measured before anything is built of it', async (t) => {
  const names = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',')}`
  t.throws(() => parseJson(names(130_000)), { message: /at most 1000 names/ }, 'though it is no JSON to its end')
  t.throws(() => parseJson(`[${'[[],[],[]],'.repeat(34_000)}`, { values: 100_000, elements: 40_000 }), {
    message: /must have at most 100000 values/,
  })
  const nested = `${'{"":'.repeat(30)}1${'}'.repeat(30)}`
  t.throws(() => parseJson(`[${Array(6_000).fill(nested)}]`), { message: /at most 100000 values/ }, 'objects count')
  t.same(parseJson(`[${nested},${nested}]`), JSON.parse(`[${nested},${nested}]`), 'one after the other')
  t.throws(() => parseJson('[{"a":[{"a":1},{"a":2}],"a":3}]'), { message: /twice in one object/ })
  t.throws(() => parseJson(`[${'1,'.repeat(50_001)}`), { message: /at most 50000 elements in one list/ })
  t.throws(() => parseJson('['.repeat(100_000)), { message: /at most 32 levels of nesting/ })
  for (const text of ['{"a', '"\\', '{"\\q":1}', '{"a" "b" :'])
    t.throws(() => parseJson(text), { status: 400, message: /not valid JSON/ }, text)
  t.same(parseJson(`${names(1_000)}}`), JSON.parse(`${names(1_000)}}`))
})

t.test('what takes a large body of anybody is known', async (t) => {
  const large = areas
    .flatMap(({ operations }) => operations)
    .filter(({ route }) => route.body && (route.public || route.site) && getBodyLimit(route) > 16 * 1024)
  t.same(
    large.map(({ id }) => id),
    [
      ...['email.preferences.submit', 'erp.reconcile.ask', 'identity.selfie.submit', 'push.receipts.create'],
      ...['live.whip.publish', 'live.whep.watch', 'live.whep.watchOpen'],
    ],
  )
})
