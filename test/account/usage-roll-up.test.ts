import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { rollUp } from '#sql/account/usage/roll-up.ts'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const Nothing = sql.typeAlias('void')
const { org } = await testOrg(db)
const day = sql.fragment`(now() at time zone 'utc')::date`
const Amount = z.object({ ago: z.number(), amount: z.number() })
const daysOf = (metric: string) =>
  db.any(sql.type(Amount)`
    select ${day} - day as ago, amount from account.usage_daily
    where org_id = ${org.id} and metric = ${metric} and dimension = '' order by ago`)

t.test('requests are summed from whole hours, and from minutes after them', async (t) => {
  const key = newId()
  const buckets = sql.array([0, 0, 0, 0, 0, 0, 0, 0], 'int8')
  const yesterday = sql.fragment`((${day} - 1)::timestamp at time zone 'utc')`
  await db.query(Nothing`
    insert into account.request_hours (org_id, at, key_id, operation, class, count, ms, buckets) values
      (${org.id}, ${yesterday}, ${key}, 'trust.check', 2, 7, 1, ${buckets}),
      (${org.id}, date_trunc('hour', now(), 'UTC'), ${key}, 'trust.check', 2, 1, 1, ${buckets})`)
  // The minutes of the first hour are gone; the last hour has begun, and its row tells of one of its requests.
  await db.query(Nothing`
    insert into account.request_minutes (org_id, at, key_id, operation, class, process, count, ms, buckets) values
      (${org.id}, date_trunc('minute', now()), ${key}, 'trust.check', 2, ${newId()}, 3, 1, ${buckets}),
      (${org.id}, date_trunc('minute', now()), ${key}, 'trust.check', 4, ${newId()}, 2, 1, ${buckets})`)
  await rollUp(db)
  t.same(await daysOf('requests'), [
    { ago: 0, amount: 5 },
    { ago: 1, amount: 7 },
  ])
  t.same(await daysOf('trust.checks'), [
    { ago: 0, amount: 3 },
    { ago: 1, amount: 7 },
  ])
})

t.test('a metric that cannot be summed keeps none of the others, and is named at the end', async (t) => {
  const most = sql.fragment`9223372036854775807`
  await db.query(Nothing`
    insert into ai.usage (org_id, day, operation, outcome, requests, prompt_tokens, completion_tokens)
    values (${org.id}, ${day}, 'answer', 'done', 2, ${most}, ${most})`)
  await db.query(Nothing`
    insert into email.daily (org_id, day, stream, delivered)
    values (${org.id}, ${day}, 'security', 4)`)
  await t.rejects(rollUp(db), { errors: { length: 1 }, message: /^ai\.tokens: / })
  t.same(await daysOf('email.delivered'), [{ ago: 0, amount: 4 }])
  t.same(await daysOf('ai.requests'), [{ ago: 0, amount: 2 }])
  t.equal((await daysOf('requests')).length, 2)
})
