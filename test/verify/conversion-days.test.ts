import pg from 'pg'
import t from 'tap'
import { type Conversion, groups } from '#sql/verify/conversions.ts'
import { explain } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { readMigrationFrom } from '../support/migration-part.ts'

const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['verify'] })
const { org, keys } = await testOrg(db, ['verify:read'])
const connect = async () => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  return client
}
const [client, other] = [await connect(), await connect()]

const expressions = {
  day: `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  channel: 'channel',
  country: `coalesce(country, '')`,
  prefix: `coalesce(prefix, '')`,
}

/** Returns the groups, counted from all verifications. No verification is so old that a moment matters. */
async function countPlainly(by: (typeof groups)[number], days: number) {
  const { rows } = await client.query<Conversion>(
    `select ${expressions[by]} as "group", count(*)::integer as starts,
       (count(*) filter (where status = 'approved'))::integer as approved,
       (count(*) filter (where status <> 'approved' and delivery = 'failed'))::integer as undeliverable,
       (count(*) filter (where delivery = 'blocked'))::integer as blocked
     from verify.verifications
     where org_id = $1 and not sandbox and created_at >= now() - $2::integer * interval '24 hours'
     group by 1 order by ${by === 'day' ? '1' : '2 desc, 1'} limit 100`,
    [org.id, days],
  )
  return rows
}

async function read(by: string, days: number) {
  const { body } = await ingress.ask(`GET /v1/verify/conversions?by=${by}&days=${days}`, { key: keys.main })
  return body.groups.map(({ conversion: _, ...group }: Conversion & { conversion: number | null }) => group)
}

/** Adds verifications at regular times before now, of all channels, with and without phone numbers and tests. */
async function addVerifications(by: pg.Client, count: number, everyMinutes: number): Promise<void> {
  await by.query(
    `insert into verify.verifications (id, org_id, sandbox, channel, channels, recipient, code_length, ttl, max_attempts,
       max_sends, resend_after_seconds, country, prefix, created_at, expires_at, resend_at)
     select gen_random_uuid(), $1, i % 10 = 9, c.channel, array[c.channel], 'v' || i, 6, 600, 5, 5, 30,
       case when c.channel <> 'email' then (array['EE', 'FI', 'LV'])[1 + i % 3] end,
       case when c.channel <> 'email' then '+37255' || i % 7 end, c.at, c.at, c.at
     from generate_series(1, $2::integer) as i, lateral (
       select (array['sms', 'whatsapp', 'voice', 'email'])[1 + i % 4] as channel,
         now() - interval '30 seconds' - i * $3::integer * interval '1 minute' as at) as c`,
    [org.id, count, everyMinutes],
  )
}

t.test('conversions equal the count of all verifications, whatever is added, changed and deleted', async (t) => {
  const changes: [pg.Client, string][] = [
    [client, `update verify.verifications set status = 'approved' where recipient like '%3'`],
    [other, `update verify.verifications set delivery = 'failed' where recipient like '%2'`],
    [other, `update verify.verifications set channel = 'voice', delivery = 'queued' where recipient like '%22'`],
    [client, `update verify.verifications set delivery = 'blocked', attempts = 1 where recipient like '%4'`],
    [other, `update verify.verifications set status = 'expired' where recipient like '%7'`],
    [client, `delete from verify.verifications where recipient like '%6'`],
    [other, `delete from verify.verifications where recipient like '%1%' or created_at < now() - interval '20 days'`],
  ]
  for (const [by, change] of changes) {
    await addVerifications(client, 200, 61)
    await addVerifications(other, 100, 433)
    await by.query(change)
    for (const group of groups)
      for (const days of [1, 7, 30]) {
        const expected = await countPlainly(group, days)
        t.ok(expected.length > 0)
        t.same(await read(group, days), expected, `${change}: ${group}, ${days}`)
      }
  }
  await client.query('delete from verify.conversion_days')
  await client.query(await readMigrationFrom('0193_counts_by_day', 'insert into verify.conversion_days'))
  t.same(await read('prefix', 30), await countPlainly('prefix', 30), 'the migration counts earlier verifications')
  await client.query('delete from verify.verifications where org_id = $1', [org.id])
  for (const group of groups) t.same(await read(group, 30), [], `${group} of nothing`)
})

t.test('conversions do not read the verifications of whole days', async (t) => {
  await addVerifications(client, 12_000, 3)
  await client.query('analyze verify.verifications, verify.conversion_days')
  for (const group of groups) {
    const statements = await recordStatements(async () => {
      t.ok((await read(group, 30)).length > 0)
    })
    for (const statement of statements) t.same((await explain(client, statement, 2_000)).big, [], group)
  }
})
