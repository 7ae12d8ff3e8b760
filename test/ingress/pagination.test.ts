import t from 'tap'
import { z } from 'zod'
import { isOlder } from '#sql/filters.ts'
import { area } from '../../ingress/http/area.ts'
import { Instant } from '../../ingress/http/instant.ts'
import { listRoute } from '../../ingress/http/lists/pagination.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const Row = z.object({ id: z.string(), created_at: z.date(), kind: z.string() })

const list = listRoute({
  path: '/things',
  summary: 'List things',
  scope: 'files:write',
  filters: { kind: (kind: string) => sql.fragment`kind = ${kind}` },
  query: { kind: z.string().optional() },
  item: z.object({ id: z.string(), created_at: Instant }),
  rows: ({ db }, { where, before, limit }) =>
    db.any(sql.type(Row)`
      select id, created_at, kind from things where ${where} and ${isOlder(before)}
      order by id desc limit ${limit}`),
  present: (row) => row,
})

const newest = listRoute({
  path: '/newest/{kind}',
  summary: 'List things of a kind',
  scope: 'files:write',
  item: z.object({ id: z.string() }),
  rows: ({ db }, { before = null, limit }) =>
    db.any(sql.type(Row)`
      select id, created_at, kind from things
      where ${before}::uuid is null or id < ${before}::uuid order by id desc limit ${limit}`),
  present: (row) => row,
})

const things = area({
  name: 'things',
  title: 'T',
  description: 'T.',
  base: '/v1',
  platform: true,
  routes: { things: { list, newest } },
})

t.test('lists', async (t) => {
  const { db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`
    create table things (id uuid primary key, kind text not null, created_at timestamptz not null)`)
  const start = Date.UTC(2026, 0, 1)
  const rows = Array.from({ length: 47 }, (_, i) => [
    newId(),
    i % 2 ? 'odd' : 'even',
    new Date(start + i).toISOString(),
  ])
  await db.query(sql.typeAlias('void')`
    insert into things (id, kind, created_at) select * from ${sql.unnest(rows, ['uuid', 'text', 'timestamptz'])} as t`)
  const { ask } = await testIngress(t, db, [things], { only: [] })
  const { keys } = await testOrg(db, ['files:write'])
  const get = (query: string) => ask(`GET /v1/things${query}`, { key: keys.main })

  await t.test('give each row once, newest first, over all pages', async (t) => {
    const seen: { id: string; created_at: string }[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { body } = await get(`?limit=5${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data)
      cursor = body.next_cursor
      if (pages === 2) await db.query(sql.typeAlias('void')`insert into things values (${newId()}, 'new', now())`)
    }
    t.equal(pages, 10)
    t.equal(new Set(seen.map(({ id }) => id)).size, 47, 'what comes meanwhile shifts nothing')
    const times = seen.map(({ created_at }) => created_at)
    t.strictSame(times, times.toSorted().reverse())
  })

  await t.test('have 20 items unless asked for 1 to 100', async (t) => {
    t.equal((await get('')).body.data.length, 20)
    const all = await get('?limit=100')
    t.equal(all.body.data.length, 48)
    t.equal(all.body.next_cursor, null)
    t.equal((await get('?limit=100&kind=odd')).body.data.length, 23)
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?limit=', '?cursor=nonsense', '?cursor=W10']) {
      t.equal((await get(query)).status, 400, query)
    }
  })

  await t.test('take a cursor of their own and of the same filter alone', async (t) => {
    const cursor: string = (await get('?limit=5&kind=odd')).body.next_cursor
    t.equal((await get(`?limit=9&kind=odd&cursor=${cursor}`)).status, 200, 'whatever the size of the page')
    for (const query of [`?cursor=${cursor}`, `?kind=even&cursor=${cursor}`]) {
      const { status, body } = await get(query)
      t.equal(status, 400, query)
      t.match(body.error.details, [{ field: 'query.cursor', issue: /of this list with the same filter/ }])
    }
    const other = (kind: string, query = '') => ask(`GET /v1/newest/${kind}${query}`, { key: keys.main })
    t.equal((await other('odd', `?cursor=${cursor}`)).status, 400, 'of another list')
    const own: string = (await other('odd', '?limit=1')).body.next_cursor
    t.equal((await other('odd', `?cursor=${own}`)).status, 200)
    t.equal((await other('even', `?cursor=${own}`)).status, 400, 'of another path')
    const bare = Buffer.from(newId()).toString('base64url')
    t.match((await get(`?cursor=${bare}`)).body.error.details, [{ issue: 'must be a `next_cursor` of this list' }])
  })
})
