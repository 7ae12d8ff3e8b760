import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { prune } from '#tasks/wiki/prune.ts'
import { until } from '../support/until.ts'
import { article, evidenceStack, filler } from './evidence-stack.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, ask, done, source, snapshot } = stack
await stack.startWorkers()

t.test('bytes that no claim cites are pruned in their time, once no snapshot needs them', async (t) => {
  const State = z.object({ pruned: z.boolean() })
  const ages = (column: 'last_checked_at' | 'since') =>
    column === 'since'
      ? sql.fragment`update wiki.loose_bytes set since = now() - interval '2 hours'`
      : sql.fragment`update wiki.snapshots set last_checked_at = now() - interval '91 days' where status = 'ok'`
  const pruneNow = async () => {
    await stack.db.transaction((tx) => enqueue(tx, prune, {}))
    await until(async () => {
      const left = await stack.db.oneFirst(sql.typeAlias('count')`
        select count(*) from jobs_web._private_jobs`)
      return left === 0
    })
  }
  pages['/kept'] = article([filler, 'These words are cited.'])
  pages['/let-go'] = article([filler, 'These words are not cited.'])
  const [kept, letGo] = [await source('/kept'), await source('/let-go')]
  const [cited, loose] = [await snapshot(kept), await snapshot(letGo)]
  const { id: entity_id } = await done('POST /v1/wiki/entities', { type: 'word', labels: { en: 'Words' } })
  await done('POST /v1/wiki/claims', {
    entity_id,
    property: 'are',
    value: { type: 'string', content: 'cited' },
    references: [{ source_id: kept, quote: 'words are cited' }],
  })
  const keyOf = ({ sha256 }: { sha256: string }) => `wiki/snapshots/${stack.orgId}/${sha256}`
  const stored = async () => new Set(await stack.base.store.list('wiki/'))
  await pruneNow()
  t.equal((await done(`GET /v1/wiki/snapshots/${loose.id}`)).bytes_pruned_at, null, 'not in its time')
  await stack.db.query(sql.typeAlias('void')`${ages('last_checked_at')}`)
  await pruneNow()
  t.type((await done(`GET /v1/wiki/snapshots/${loose.id}`)).bytes_pruned_at, 'string')
  t.ok((await stored()).has(keyOf(loose)), 'a capture might have them already')
  await stack.db.query(sql.typeAlias('void')`${ages('since')}`)
  await pruneNow()
  t.notOk((await stored()).has(keyOf(loose)))
  t.ok((await stored()).has(keyOf(cited)))
  t.match(
    await stack.db.one(sql.type(State)`
    select bytes_pruned_at is not null as pruned from wiki.snapshots where id = ${cited.id}`),
    { pruned: false },
  )
  t.equal((await ask(`POST /v1/wiki/snapshots/${loose.id}/download-url`, { body: {} })).status, 409)
  t.match((await done(`GET /v1/wiki/snapshots/${loose.id}/text`)).text, /not cited/)

  t.match(await snapshot(letGo), { id: loose.id, bytes_pruned_at: null }, 'the same again has its bytes again')
  t.ok((await stored()).has(keyOf(loose)))
  t.equal((await ask(`DELETE /v1/wiki/sources/${letGo}`)).status, 200)
  await stack.db.query(sql.typeAlias('void')`${ages('since')}`)
  await pruneNow()
  t.notOk((await stored()).has(keyOf(loose)))
})
