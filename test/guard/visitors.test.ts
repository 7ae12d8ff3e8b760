import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as visitors from '#sql/guard/visitors.ts'
import { testDatabase } from '../support/database.ts'

t.test('counts fade as the database reckons it, and are of the subjects that were asked for', async (t) => {
  const { db } = await testDatabase(t)
  const siteId = newId()
  const address = { siteId, kind: 'address', subject: 'a' } as const
  const site = { siteId, kind: 'site', subject: '' } as const
  for (const one of [address, site, { ...address, subject: 'b' }, { ...address, siteId: newId() }]) {
    await visitors.addCounts(db, [{ ...one, requests: 40, failures: 3 }])
  }
  for (const age of [0, 30, 1_000, 5_000, 90_000, -5]) {
    await db.query(sql.typeAlias('void')`update guard.visitors set noted_at = now() - make_interval(secs => ${age})`)
    const found = await visitors.readCounts(db, siteId, [address, site])
    t.strictSame(found.map(({ kind }) => kind).toSorted(), ['address', 'site'])
    const Left = z.object({ requests: z.number(), failures: z.number(), usual: z.number() })
    const left = await db.one(sql.type(Left)`
      select guard.decayed(40, ${age}::float8, 60) as requests, guard.decayed(3, ${age}::float8, 600) as failures,
        guard.decayed(40, ${age}::float8, 3600) as usual`)
    for (const { requests, failures, usual } of found) {
      const near = (a: number, b: number) => Math.abs(a - b) <= b * 0.1
      t.ok(near(requests, left.requests) && near(failures, left.failures) && near(usual, left.usual), `${age} s`)
    }
  }
})
