import t, { type Test } from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import * as mail from '#sql/email/delivery/claims.ts'
import { record as recordMail } from '#sql/email/delivery/outcomes.ts'
import { settle } from '#sql/email/delivery/settle.ts'
import { markManyUsed } from '#sql/guard/challenges.ts'
import { endMany } from '#sql/notify/copies.ts'
import * as push from '#sql/push/deliveries.ts'
import { record as recordPush } from '#sql/push/outcomes.ts'
import { record as recordReceipts } from '#sql/push/receipts.ts'
import { believedEmpty, rowsRead, unbound } from '../support/believed-empty.ts'
import { testDatabase } from '../support/database.ts'

const backlog = 10_000
const batch = 100
const org = newId()
const lease = newId()

const Ids = z.object({ id: z.string() })
const deliveries = ['email', 'deliveries'] as const
const messages = ['email', 'messages'] as const

/** A batch is found by its keys: each row is read a few times, and no other row. */
async function reads<T>(t: Test, db: Db, name: readonly [string, string], work: (tx: Db) => Promise<T>): Promise<T> {
  let result: T | undefined
  const rows = await db.transaction((tx) =>
    rowsRead(tx, name, async () => {
      result = await work(tx)
    }),
  )
  t.ok(rows < 10 * batch, `of ${name.join('.')} ${rows} rows were read`)
  return result as T
}

const addMail = (db: Db) =>
  db.query(sql.typeAlias('void')`
    with added as (
      insert into email.messages
        (id, org_id, stream, domain_id, from_email, to_email, subject, content_id, message_id)
      select gen_random_uuid(), ${org}, 'transactional', ${org}, 'a@b.example', 'c@d.example', 's', ${org}, 'm'
      from generate_series(1, ${backlog}::integer) returning id)
    insert into email.deliveries (message_id, org_id, pool, to_domain, mx_set, give_up_at, turn)
    select id, ${org}, 'transactional', 'd.example', 'mx', now() + interval '1 day', 16 from added`)

const wanted: mail.Claim = {
  ...{ connection: lease, pool: 'transactional', mxSet: 'mx', domain: 'd.example' },
  ...{ address: '', addresses: [''], limit: batch },
}

const settled = (claimed: readonly { id: string }[]) =>
  claimed.map(({ id }, i) => ({
    ...{ message_id: id, leased_by: lease, attempts: 1 },
    ...{ retry_ms: i % 2 ? 1 : null, local_address: null },
  }))

async function mailDatabase(t: Test): Promise<DatabasePool> {
  const { db } = await testDatabase(t)
  for (const table of ['messages', 'deliveries', 'daily']) await unbound(db, ['email', table])
  return db
}

t.test('mail is claimed and settled by keys after a burst into what statistics take for empty', async (t) => {
  const db = await mailDatabase(t)
  await believedEmpty(db, deliveries, () => addMail(db))
  await believedEmpty(db, messages, async () => {})
  await addMail(db)
  const claimed = await reads(t, db, deliveries, (tx) => mail.claim(tx, wanted))
  t.equal(claimed.length, batch)
  const done = await reads(t, db, deliveries, (tx) => settle(tx, settled(claimed)))
  t.equal(done.size, batch)
  const outcomes = claimed.map(({ id }) => ({ messageId: id, status: 'sent' as const }))
  await reads(t, db, messages, (tx) => recordMail(tx, outcomes, { hard: [], final: [] }))
})

t.test('and by a session that kept its plans from when the table was empty', async (t) => {
  const db = await mailDatabase(t)
  await db.query(sql.typeAlias('void')`alter table email.deliveries set (autovacuum_enabled = false)`)
  await db.query(sql.typeAlias('void')`vacuum analyze email.deliveries`)
  await db.connect(async (session) => {
    for (let i = 0; i < 12; i++) {
      await mail.claim(session, wanted)
      await settle(session, settled([{ id: newId() }]))
    }
    await addMail(session)
    const claimed = await reads(t, session, deliveries, (tx) => mail.claim(tx, wanted))
    t.equal(claimed.length, batch)
    await reads(t, session, deliveries, (tx) => settle(tx, settled(claimed)))
  })
})

t.test('so are push deliveries, and their receipts', async (t) => {
  const { db } = await testDatabase(t)
  const table = ['push', 'deliveries'] as const
  await unbound(db, table)
  await unbound(db, ['push', 'messages'])
  const [app_id, message] = [newId(), newId()]
  await db.query(sql.typeAlias('void')`
    insert into push.messages (id, org_id, app_id, user_id, content, priority, expires_at)
    values (${message}, ${org}, ${app_id}, 'u', '{}', 1, now() - interval '1 day')`)
  const add = () =>
    db.query(sql.typeAlias('void')`
      insert into push.deliveries
        (id, org_id, app_id, message_id, installation_id, push_user_id, provider, environment)
      select gen_random_uuid(), ${org}, ${app_id}, ${message}, gen_random_uuid(), ${org}, 'apns', 'production'
      from generate_series(1, ${backlog}::integer)`)
  await believedEmpty(db, table, add)
  await add()
  const lane: push.Lane = { app_id, provider: 'apns', environment: 'production' }
  const terms = { lease, seconds: 10, limit: batch }
  const claimed = await reads(t, db, table, (tx) => push.claim(tx, lane, terms))
  t.equal(claimed.length, batch)
  const outcomes = claimed.map(({ id }) => ({ id, status: 'sent' as const, reason: null, attempted: true, delay: 0 }))
  t.equal((await reads(t, db, table, (tx) => recordPush(tx, lease, outcomes))).size, batch)
  const receipts = claimed.map(({ id }) => ({ delivery_id: id, event: 'opened' as const, org_id: org, app_id }))
  t.equal((await reads(t, db, table, (tx) => recordReceipts(tx, receipts))).length, batch)
  const over = await reads(t, db, table, (tx) => push.claimExpired(tx, lane, { ...terms, late: 1 }))
  t.equal(over.length, batch)
})

t.test('so are copies of notifications that end, and challenges that are spent', async (t) => {
  const { db } = await testDatabase(t)
  const [copies, challenges] = [['notify', 'copies'] as const, ['guard', 'challenges'] as const]
  await unbound(db, copies)
  const addCopies = () =>
    db.query(sql.typeAlias('void')`
      insert into notify.copies (event_id, org_id, channel, recipient)
      select gen_random_uuid(), ${org}, 'email', 'someone@example.com' from generate_series(1, ${backlog}::integer)`)
  await believedEmpty(db, copies, addCopies)
  await addCopies()
  const events = await db.anyFirst(sql.type(Ids)`select event_id as id from notify.copies limit ${batch}`)
  const ended = { channel: 'email', status: 'accepted', reason: null, detail: null, message_id: null } as const
  await reads(t, db, copies, (tx) =>
    endMany(
      tx,
      events.map((event_id) => ({ event_id, ...ended })),
    ),
  )
  const addChallenges = () =>
    db.query(sql.typeAlias('void')`
      insert into guard.challenges (id, org_id, site_id, action, alg, tier, nonce, bits, network, expires_at)
      select gen_random_uuid(), ${org}, ${org}, 'a', 'sha256', 'low', 'n', 1, 'n', now()
      from generate_series(1, ${backlog}::integer)`)
  await believedEmpty(db, challenges, addChallenges)
  await addChallenges()
  const ids = await db.anyFirst(sql.type(Ids)`select id from guard.challenges limit ${batch}`)
  await reads(t, db, challenges, (tx) =>
    markManyUsed(
      tx,
      ids.map((id) => ({ id, outcome: 'solved' as const })),
    ),
  )
})
