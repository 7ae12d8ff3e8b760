import pg from 'pg'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as apps from '#sql/push/apps.ts'
import { countActive } from '#sql/push/device-counts.ts'
import { explain } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { readMigrationFrom } from '../support/migration-part.ts'

const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['push'] })
const { org, keys } = await testOrg(db, ['push:manage'])
const connect = async () => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  return client
}
const [client, other] = [await connect(), await connect()]

const createApp = async (name: string) => (await apps.insert(db, { id: newId(), org_id: org.id, name })).id

/** Adds devices of all providers, of which every fifth is invalidated. */
async function addDevices(by: pg.Client, appId: string, count: number): Promise<void> {
  const user = newId()
  await by.query(`insert into push.users (id, org_id, app_id, user_id) values ($1, $2, $3, $4)`, [
    user,
    org.id,
    appId,
    user,
  ])
  await by.query(
    `insert into push.installations (id, org_id, app_id, push_user_id, provider, token, status)
     select gen_random_uuid(), $1, $2, $3, (array['apns', 'fcm', 'webpush', 'sse'])[1 + i % 3], gen_random_uuid(),
       case when i % 5 = 0 then 'invalidated' else 'active' end from generate_series(1, $4::integer) as i`,
    [org.id, appId, user, count],
  )
}

async function countPlainly(appId: string) {
  const { rows } = await client.query<{ provider: string; status: string; count: string }>(
    'select provider, status, count(*) as count from push.installations where app_id = $1 group by 1, 2',
    [appId],
  )
  const active = rows.filter(({ status }) => status === 'active')
  const sum = (counted: typeof rows) => counted.reduce((all, { count }) => all + Number(count), 0)
  return {
    total: sum(active),
    invalidated: sum(rows) - sum(active),
    by_provider: Object.fromEntries(active.map(({ provider, count }) => [provider, Number(count)])),
  }
}

const readDevices = async (appId: string) =>
  (await ingress.ask(`GET /push/v1/apps/${appId}/stats`, { key: keys.main })).body.devices

t.test('the devices of an app equal the count of all devices, whatever connection changes them', async (t) => {
  const [shop, news] = [await createApp('Shop'), await createApp('News')]
  const changes: [pg.Client, string][] = [
    [client, `update push.installations set status = 'invalidated' where token < '4'`],
    [other, `update push.installations set status = 'active' where token < '2' or token > 'e'`],
    [client, `update push.installations set used_at = now()`],
    [other, `delete from push.installations where token > '5' and token < 'a'`],
    [client, `delete from push.installations where provider = 'fcm'`],
    [other, `delete from push.users where user_id < '8'`],
  ]
  for (const [by, change] of changes) {
    await addDevices(client, shop, 40)
    await addDevices(other, news, 25)
    await addDevices(other, shop, 30)
    await by.query(change)
    for (const app of [shop, news]) t.same(await readDevices(app), await countPlainly(app), change)
    t.equal((await countActive(db, [shop, news])).get(news) ?? 0, (await countPlainly(news)).total)
  }
  await client.query('delete from push.device_counts')
  await client.query(await readMigrationFrom('0192_push_device_counts', 'insert into push.device_counts'))
  t.same(await readDevices(shop), await countPlainly(shop), 'the migration counts earlier devices')
  await client.query('delete from push.apps where id = $1', [shop])
  const { rows } = await client.query('select from push.device_counts where app_id = $1', [shop])
  t.equal(rows.length, 0)
})

t.test('connections that add devices to one app do not wait for each other', async (t) => {
  const app = await createApp('Busy')
  await client.query('begin')
  await other.query('begin')
  await addDevices(client, app, 10)
  await addDevices(other, app, 10)
  await client.query('commit')
  await other.query('rollback')
  t.same(await readDevices(app), await countPlainly(app))
  t.equal((await readDevices(app)).total, 8)
})

t.test('statistics of an app do not read its devices', async (t) => {
  const app = await createApp('Large')
  await addDevices(client, app, 12_000)
  await client.query('analyze push.installations')
  const statements = await recordStatements(async () => {
    t.match(await readDevices(app), { total: 9_600, invalidated: 2_400 })
  })
  for (const statement of statements) t.same((await explain(client, statement, 1_000)).big, [], statement.text)
})
