import t from 'tap'
import { openPool, sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)
const scopes = ['bots:read', 'wiki:read', 'streaming:read', 'erp:read']

t.test('searches', async (t) => {
  const { db, url } = await testDatabase(t)
  const outside = await openPool(url, 1)
  t.teardown(() => outside.end())
  const { ask } = await testIngress(t, db, [], { databaseTimeoutMs: 5_000 })
  const [broad, other] = await Promise.all([testOrg(db, scopes), testOrg(db, scopes)])
  const searches = {
    bots: 'GET /v1/bots/directory?q=services',
    wiki: 'GET /v1/wiki/articles?q=services',
    names: 'GET /v1/wiki/search?q=services',
    claims: 'GET /v1/wiki/search?q=services&type=claim',
    videos: 'GET /v1/streaming/search?q=services',
    companies: 'GET /v1/erp/companies?q=services',
  }
  for (const request of Object.values(searches)) t.equal((await ask(request, { key: other.keys.main })).status, 200)

  /** Runs `work` while every search of `tables` takes the maximum time. */
  async function slowly(tables: string[], work: () => Promise<void>): Promise<void> {
    await outside.transaction(async (tx) => {
      for (const table of tables)
        await tx.query(sql.unsafe`lock table ${sql.identifier(table.split('.'))} in access exclusive mode`)
      await work()
    })
  }

  await t.test('of one organisation leave all others their connections', async (t) => {
    await slowly(['bots.bots', 'erp.companies'], async () => {
      const many = Promise.all(
        Array.from({ length: 24 }, (_, i) => ask(searches[i % 2 ? 'bots' : 'companies'], { key: broad.keys.main })),
      )
      const ordinary = await Promise.all(
        Array.from({ length: 12 }, () => ask('GET /v1/streaming/channels', { key: other.keys.main })),
      )
      t.same([...new Set(statuses(ordinary))], [200], 'ordinary requests of another')
      const found = await Promise.all(
        [searches.wiki, searches.videos].map((search) => ask(search, { key: other.keys.main })),
      )
      t.same(statuses(found), [200, 200], 'and its searches')
      t.equal((await ask('GET /v1/streaming/channels', { key: broad.keys.main })).status, 200, 'and its own requests')
      const replies = await many
      t.ok(replies.every(({ status }) => status === 400 || status === 429))
      const tooBroad = replies.find(({ status }) => status === 400)
      t.match(tooBroad?.body.error, { code: 'search_too_broad', message: /within a second/ })
      const late = replies.find(({ status }) => status === 429)
      t.match(late?.body.error, { code: 'rate_limited', details: { limit: 'at_once', max: 2 } })
      t.ok(Number(late?.headers.get('retry-after')) > 0)
    })
    for (const search of Object.values(searches))
      t.equal((await ask(search, { key: broad.keys.main })).status, 200, 'afterwards it searches as before')
  })

  await t.test('of every area end within their second', async (t) => {
    const tables = {
      ...{ bots: 'bots.bots', wiki: 'wiki.published', names: 'wiki.entities', claims: 'wiki.claims' },
      ...{ videos: 'directory.videos', companies: 'erp.companies' },
    }
    for (const [name, table] of Object.entries(tables)) {
      await slowly([table], async () => {
        const reply = await ask(searches[name as keyof typeof searches], { key: other.keys.main })
        t.match(reply, { status: 400, body: { error: { code: 'search_too_broad' } } }, name)
      })
    }
  })

  await t.test('that are short wait for each other', async (t) => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => ask(searches.wiki, { key: broad.keys.main })))
    t.same([...new Set(statuses(replies))], [200])
  })
})
