import t from 'tap'
import type { Storage } from '#lib/storage/storage.ts'
import * as closures from '#sql/account/closures.ts'
import { sql } from '#sql/db.ts'
import { closeAll } from '#tasks/account/close.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const actor = { kind: 'operator', id: null, name: 'op' } as const

t.test(
  'an organisation that takes a whole run leaves the others their share, and no failure is taken for its end',
  async (t) => {
    const made = await Promise.all(Array.from({ length: 3 }, () => testOrg(db)))
    const [endless = '', broken = '', small = ''] = made.map(({ org }) => org.id)
    for (const [n, orgId] of [endless, broken, small].entries()) {
      await db.transaction((tx) => requestClosure(tx, { orgId, actor }))
      await db.query(sql.typeAlias('void')`
      update account.closures set due_at = now() - ${3 - n} * interval '1 hour' where org_id = ${orgId}`)
    }
    const clear: Storage['clear'] = async (prefix, signal) => {
      if (!prefix.includes(endless) && !prefix.includes(broken)) return { objects: 0, bytes: 0 }
      await new Promise((done) => signal?.addEventListener('abort', done))
      if (prefix.includes(broken)) throw new Error('The storage is away.')
      throw signal?.reason
    }
    const storage = { clear } as Storage
    // Timers of abort signals do not keep the process alive.
    const alive = setInterval(() => {}, 1_000)
    t.teardown(() => clearInterval(alive))
    const works = await closures.begin(db)
    t.same(
      works.map(({ org_id }) => org_id),
      [endless, broken, small],
    )
    const failed: [string, unknown][] = []
    const note = (error: unknown, { org_id }: closures.ClosureProgress) => failed.push([org_id, error])
    const { signal } = new AbortController()
    // A share of 8 s, because the steps before the storage take 1 to 4 s on a machine that is busy.
    const left = await closeAll(works, { db, storage, signal }, 24_000, note)
    t.match(failed, [[broken, { message: 'The storage is away.' }]])
    t.equal((await closures.find(db, endless))?.state, 'running')
    // On a machine that is busy its share may end before it does.
    const rest = (await closures.begin(db)).find(({ org_id }) => org_id === small)
    t.equal(left, rest ? 2 : 1)
    t.ok(rest ? rest.step : (await closures.find(db, small))?.state === 'done', 'the last had its share')
  },
)
