import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import { claim } from '#sql/email/delivery/claims.ts'
import { makeSender } from '../../ops/trials/bench/mail/backlog.ts'
import { testDatabase } from '../support/database.ts'

const backlog = 1_000

/** Index entries of pending messages that this database has read. */
const entriesRead = async (session: Db) => {
  await session.query(sql.type(z.unknown())`select pg_stat_force_next_flush()`)
  await session.query(sql.type(z.unknown())`select pg_stat_clear_snapshot()`)
  return await session.oneFirst(sql.type(z.object({ entries: z.number() }))`
    select sum(idx_tup_read)::bigint as entries from pg_stat_user_indexes
    where schemaname = 'email' and relname = 'deliveries'`)
}

t.test('a claim does not read the whole backlog of a domain whose MX set is unknown', async (t) => {
  const { db } = await testDatabase(t)
  const { fill } = await makeSender(db, 'a secret of the test, of 32 characters')
  await fill(backlog, 100)
  await db.query(sql.typeAlias('void')`update email.deliveries set turn = 10`)
  // Entries of deleted rows would count.
  await db.query(sql.typeAlias('void')`vacuum email.deliveries`)
  const wanted = { pool: 'transactional', mxSet: 'mx.rcpt.example', domain: 'rcpt.example' } as const
  const from = { connection: newId(), address: '', addresses: [''], limit: 10 }
  await db.connect(async (session) => {
    const before = await entriesRead(session)
    t.equal((await claim(session, { ...wanted, ...from })).length, from.limit)
    t.ok((await entriesRead(session)) - before < backlog / 4, 'index entries')
  })
})
