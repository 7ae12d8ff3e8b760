import t from 'tap'
import { z } from 'zod'
import { replaceEscapes, toStorableText } from '#lib/outside-text.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type Db, isRowFault, sql } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import { testDatabase } from '../support/database.ts'

t.test('text of others has neither NUL nor half a character, and is cut between two', async (t) => {
  t.equal(toStorableText('a\0b'), 'a\ufffdb')
  t.equal(toStorableText('a\ud800b\udc00'), 'a\ufffdb\ufffd')
  t.equal(toStorableText('ab👍', 4), 'ab👍')
  t.equal(toStorableText('ab👍', 3), 'ab')
  t.equal(toStorableText('ab\ud83d', 3), 'ab\ufffd', 'half a character is shown where it is all that there is')
})

t.test('of JSON, escapes are replaced and what looks like one is not', async (t) => {
  t.equal(replaceEscapes('"a\\u0000\\uD800 \\ud83d\\udc4d"'), '"a\ufffd\ufffd \\ud83d\\udc4d"')
  t.equal(replaceEscapes('"a\\\\u0000 \\\\\\u0000"'), '"a\\\\u0000 \\\\\ufffd"')
})

t.test('no text from outside fails a statement, and all other text is what it was', async (t) => {
  const { db } = await testDatabase(t)
  const Row = z.object({ text: z.string(), json: z.unknown(), list: z.array(z.string()), from: z.string() })
  const told = 'C:\\u0000 and \\ud800'
  for (const [given, kept] of [
    ['a\0b\ud800', 'a\ufffdb\ufffd'],
    [told, told],
  ] as const) {
    const row = await db.one(sql.type(Row)`
      select ${given}::text as text, ${sql.jsonb([{ a: given }])} as json, ${sql.array([given, 'x'], 'text')} as list,
        (select a from json_to_recordset(${JSON.stringify([{ a: given }])}::json) as g (a text)) as from`)
    t.strictSame(row, { text: kept, json: [{ a: kept }], list: [kept, 'x'], from: kept })
  }
  const Found = z.object({ found: z.boolean() })
  t.strictSame(
    await db.one(sql.type(Found)`select 'key' = ${'key\0'} as found`),
    { found: false },
    'it finds nothing else',
  )
})

t.test(
  'what must not be forgotten is written once the database is back, and told at once where a row is at fault',
  async (t) => {
    const { db } = await testDatabase(t)
    await db.query(sql.typeAlias('void')`create table kept (n integer primary key)`)
    let tries = 0
    await persist(db, 60_000, async (tx) => {
      await tx.query(sql.typeAlias('void')`insert into kept values (1)`)
      if (++tries < 3) await tx.query(sql.typeAlias('void')`select from pg_terminate_backend(pg_backend_pid())`)
    })
    t.equal(tries, 3)
    t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from kept`), 1)
    const again = (tx: Db) => {
      tries++
      return tx.query(sql.typeAlias('void')`insert into kept values (1)`).then(() => {})
    }
    await t.rejects(persist(db, 60_000, again))
    t.equal(tries, 4)
  },
)

t.test('of a group with one bad row all are written but that, in few tries', async (t) => {
  const { db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`create table written (n integer primary key check (n <> 77))`)
  const failed: unknown[] = []
  let writes = 0
  const group = Array.from({ length: 200 }, (_, n) => n)
  const insert = (part: readonly number[]) =>
    db.query(sql.typeAlias('void')`insert into written select unnest(${sql.array([...part], 'int4')})`)
  const how = {
    async write(part: readonly number[]) {
      writes++
      await insert(part)
    },
    isOnes: isRowFault,
    failed: (part: readonly number[]) => void failed.push(part),
  }
  await writeInHalves(group, how)
  t.strictSame(failed, [[77]])
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from written`), 199)
  t.ok(writes <= 2 * Math.ceil(Math.log2(200)) + 1, `${writes} tries`)

  writes = 0
  const away = Object.assign(new Error('gone'), { code: '57P01' })
  const write = () => {
    writes++
    return Promise.reject(away)
  }
  await writeInHalves([1, 2, 3], { ...how, write })
  t.strictSame([writes, failed.at(-1)], [1, [1, 2, 3]], 'what is no row’s fault is tried once')
})
