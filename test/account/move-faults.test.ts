import type { QuerySqlToken } from 'slonik'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as closures from '#sql/account/closures.ts'
import * as moves from '#sql/account/move/moves.ts'
import * as testMessages from '#sql/account/test-messages.ts'
import { sql } from '#sql/db.ts'
import * as engagements from '#sql/email/engagements.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { beginMove } from '#tasks/account/rules/move/begin.ts'
import { findHindrances } from '#tasks/account/rules/move/checks.ts'
import { moveOrganisation } from '#tasks/account/rules/move/move.ts'
import { pruneAll, works } from '#tasks/jobs/prune.ts'
import { testOrg } from '../support/ingress.ts'
import { differing, manner, twoCells } from './two-cells.ts'

t.setTimeout(600_000)
const { here, there, movingOf } = await twoCells(t)

t.test(
  'an organisation that is closed while it is copied stays, and one does not return to where its end is not over',
  async (t) => {
    const { org } = await testOrg(here.db, ['account:audit'])
    const moving = movingOf(org.id)
    await beginMove(moving, 'test')
    const actor = { kind: 'operator', id: null, name: 'x' } as const
    moving.step = async (name) => {
      if (name === 'pass 1') await here.db.transaction((tx) => requestClosure(tx, { orgId: org.id, actor }))
    }
    await t.rejects(moveOrganisation(moving, manner), /in progress: closure/)
    t.equal((await moves.find(here.db, moving.move.id))?.state, 'copying')
    t.equal((await moves.find(there.db, moving.move.id))?.state, 'incoming')

    const { org: returning } = await testOrg(here.db)
    await closures.request(there.db, { orgId: returning.id, kind: 'operator', name: 'x', days: 0 })
    const found = await findHindrances(movingOf(returning.id), { secret: 's'.repeat(32), sameSecret: true })
    t.match(found, [/^cell b is still deleting its earlier data$/])
  },
)

t.test('what is forgotten of others goes while one is fenced for its move, and nothing of that one', async (t) => {
  const [{ org }, { org: other }] = [await testOrg(here.db), await testOrg(here.db)]
  for (const { id } of [org, other])
    await here.db.query(sql.typeAlias('void')`
      insert into account.test_messages (id, org_id, channel, recipient, title, bytes, created_at)
      values (${newId()}, ${id}, 'email', 'x', 'x', 1, now() - interval '400 days')`)
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  moving.step = (name) => {
    if (name === 'alike') throw new Error('killed')
  }
  await t.rejects(moveOrganisation(moving, manner), /killed/)
  const due = works.filter(({ label }) => label === 'account.test_messages')
  const { failed } = await pruneAll(due, { db: here.db, log, signal: AbortSignal.timeout(60_000) }, 60_000)
  t.same([...failed.keys()], [])
  const kept = await here.db.anyFirst(sql.type(testMessages.table.Row.pick({ org_id: true }))`
    select org_id from account.test_messages`)
  t.same(kept, [org.id])
})

t.test('opens of other organisations are stored while one is fenced for its move', async (t) => {
  const [{ org }, { org: other }] = [await testOrg(here.db), await testOrg(here.db)]
  const [moved, stays] = [newId(), newId()]
  for (const [id, orgId] of [
    [moved, org.id],
    [stays, other.id],
  ] as const)
    await here.db.query(sql.typeAlias('void')`
      insert into email.messages (id, org_id, stream, domain_id, from_email, to_email, subject, content_id, message_id, sent_at)
      values (${id}, ${orgId}, 'subscribed', ${newId()}, 'a@x.example', 'b@y.example', 'x', ${newId()}, 'x', now() - interval '1 hour')`)
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  moving.step = (name) => {
    if (name === 'alike') throw new Error('killed')
  }
  await t.rejects(moveOrganisation(moving, manner), /killed/)
  const at = new Date().toISOString()
  const open = { kind: 'open', url: '', machine: false, reason: null, count: 1, user_agent: null } as const
  const stored = await here.db.transaction((tx) =>
    engagements.record(
      tx,
      [moved, stays].map((message_id) => ({ ...open, message_id, first_at: at, last_at: at })),
    ),
  )
  t.same(
    stored.map(({ message_id }) => message_id),
    [stays],
  )
})

t.test('a row whose key is that of its partition alone is changed while it is copied', async (t) => {
  const { org } = await testOrg(here.db)
  const [endpoint, event, delivery] = [newId(), newId(), newId()]
  const run = (query: QuerySqlToken) => here.db.query(query)
  await run(sql.unsafe`insert into webhooks.endpoints (id, org_id, area, url, secret, events)
    values (${endpoint}, ${org.id}, 'email', 'https://x.example', 'x', '{}')`)
  await run(sql.unsafe`insert into webhooks.events (id, org_id, type, data, created_at)
    values (${event}, ${org.id}, 'email.sent', '{}', now())`)
  await run(sql.unsafe`insert into webhooks.deliveries (id, org_id, event_id, endpoint_id, status)
    values (${delivery}, ${org.id}, ${event}, ${endpoint}, 'pending')`)
  const moving = movingOf(org.id)
  await beginMove(moving, 'test')
  moving.step = async (name) => {
    if (name === 'pass 1') await run(sql.unsafe`update webhooks.deliveries set attempts = 7 where id = ${delivery}`)
  }
  await moveOrganisation(moving, manner)
  t.match(await there.db.any(sql.unsafe`select attempts from webhooks.deliveries where org_id = ${org.id}`), [
    { attempts: 7 },
  ])
  t.same(await differing(moving), [])
})
