import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import * as usage from '#sql/account/usage.ts'
import { sql } from '#sql/db.ts'
import { tellExpiringKeys } from '#tasks/account/tell-expiring-keys.ts'
import { tellThresholds } from '#tasks/account/tell-thresholds.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import '../support/webhooks-environment.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const Nothing = sql.typeAlias('void')
const tools = { db, signal: new AbortController().signal } as never
const orgs = await Promise.all(Array.from({ length: 3 }, () => testOrg(db)))
const ids = orgs.map(({ org }) => org.id)
const [faulty = ''] = ids
for (const id of ids) await db.query(Nothing`insert into webhooks.settings (org_id, keep_events) values (${id}, true)`)

/** How many events of a type each organisation was told, the faulty one first. */
async function told(type: string) {
  const Told = z.object({ org_id: z.string(), count: z.number() })
  const found = await db.any(sql.type(Told)`
    select org_id, count(*) as count from webhooks.events where type = ${type} group by org_id`)
  return ids.map((id) => found.find(({ org_id }) => org_id === id)?.count ?? 0)
}

/** Does something while no event of the first organisation can be written. */
async function whileFaulty(work: () => Promise<unknown>) {
  await db.query(Nothing`
    alter table webhooks.events add constraint faulty check (org_id <> ${sql.literalValue(faulty)}) not valid`)
  await work()
  await db.query(Nothing`alter table webhooks.events drop constraint faulty`)
}

t.test(
  'thresholds are told to all but an organisation that cannot be told, which is told later, each once',
  async (t) => {
    for (const org_id of ids) {
      await db.query(Nothing`
      insert into account.budgets (org_id, metric, period, soft, alert_at)
      values (${org_id}, 'push.messages', 'month', 10, ${sql.array(
        Array.from({ length: 60 }, (_, n) => n + 1),
        'int4',
      )})`)
      await usage.add(db, 'push.messages', [{ org_id, amount: 10 }])
    }
    const mails = () =>
      db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) as count from jobs_mail_transactional._private_jobs where payload -> 'payload' ->> 'percent' is not null`)
    await whileFaulty(() => t.rejects(tellThresholds.run({}, tools), { message: /: 1$/ }))
    t.same(await told('account.usage.threshold'), [0, 60, 60])
    t.equal(await mails(), 120)
    await tellThresholds.run({}, tools)
    t.same(await told('account.usage.threshold'), [60, 60, 60])
    await tellThresholds.run({}, tools)
    t.same(await told('account.usage.threshold'), [60, 60, 60])
    t.equal(await mails(), 180)
  },
)

t.test('keys that end soon are told of likewise', async (t) => {
  for (const orgId of ids) {
    const made = { orgId, prefix: 'bt_live_', scopes: [], expires_at: new Date(Date.now() + 86_400_000) } as const
    for (const name of ['one', 'two']) await keys.create(db, { ...made, scopes: [], name })
    await keys.create(db, { ...made, scopes: [], name: 'later', expires_at: new Date(Date.now() + 8 * 86_400_000) })
  }
  await whileFaulty(() => t.rejects(tellExpiringKeys.run({}, tools), { message: /: 1$/ }))
  t.same(await told('account.key.expiring'), [0, 2, 2])
  await tellExpiringKeys.run({}, tools)
  await tellExpiringKeys.run({}, tools)
  t.same(await told('account.key.expiring'), [2, 2, 2])
})
