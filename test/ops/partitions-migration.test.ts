import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import { migrate } from '#sql/migrate.ts'
import { families } from '#sql/partitions/families.ts'
import { getDivision, list } from '#sql/partitions/list.ts'
import { addEvent, addMail, addPush, addView, family } from '../jobs/partitions.ts'
import { ensureCluster } from '../support/postgres.ts'

t.setTimeout(240_000)

const admin = new pg.Client({ connectionString: await ensureCluster() })
await admin.connect()
const name = `test_${newId().replaceAll('-', '')}`
await admin.query(`create database ${name}`)
const url = Object.assign(new URL(await ensureCluster()), { pathname: `/${name}` }).href
t.teardown(async () => {
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
})

/** Our migrations up to those that make partitions. */
const dir = await mkdtemp(join(tmpdir(), 'millrace-migrations-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))
const ours = fileURLToPath(new URL('../../sql/migrations', import.meta.url))
const before = (path: string) => !path.endsWith('.sql') || basename(path) < '0041'
await cp(ours, dir, { recursive: true, filter: before })
await migrate(url, { dir })
const db = await openPool(url, 6)
t.teardown(() => db.end())

const client = new pg.Client({ connectionString: url })
await client.connect()
t.teardown(() => client.end())
const tables = families.flatMap(({ members }) => members).map((member) => member.name)
const files = async (suffix: string) =>
  (
    await client.query('select pg_relation_filenode(table_name || $2) as file from unnest($1::text[]) as table_name', [
      tables,
      suffix,
    ])
  ).rows

const org = newId()
await client.query(`insert into account.orgs (id, name, plan) values ($1, 'old', 'free')`, [org])
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
const mails = [await addMail(db, org, ago(200)), await addMail(db, org, ago(0)), await addMail(db, org, ago(-100))]
await addPush(db, org, ago(3), 'sent')
await addView(db, org, ago(1))
const told = [await addEvent(db, org, ago(20), 'delivered'), await addEvent(db, org, ago(0), 'pending')]

t.test('rows that are there stay where they are, while others go on to write', async (t) => {
  const place = await files('')
  let over = false
  let written = 0
  const writing = (async () => {
    for (; !over; written++) {
      await addMail(db, org, new Date())
      await addEvent(db, org, new Date(), 'pending')
    }
  })()
  const ran = await migrate(url, { tries: 60 })
  over = true
  await writing
  t.same(ran.slice(0, 2), ['0041_partition_bounds', '0042_partitions'])
  t.same(await files('_first'), place, 'nothing is written anew')
  t.ok(written > 0)
  const counts = async (suffix: string) => {
    const found: number[] = []
    for (const table of tables)
      found.push((await client.query(`select count(*)::int from ${table}${suffix}`)).rows[0].count)
    return found
  }
  t.same(await counts(''), [written + 3, 1, 1, written + 2, written + 2])
  t.same(await counts('_default'), [0, 0, 0, 0, 0])
  const { rows } = await client.query(
    `select conname from pg_constraint where not convalidated or conname like '%first_bound'`,
  )
  t.same(rows, [])
})

t.test('the first partition ends a month ahead at least, and after the newest of its ids', async (t) => {
  for (const one of families) {
    const { end, partitions } = await getDivision(db, one, new Date())
    t.same(
      partitions.map(({ name }) => name.replace(/^.*_/, '')),
      ['first', 'default'],
    )
    t.ok((end as Date) > ago(one === family('email.attempts') ? -100 : -28))
    t.ok((end as Date) < ago(one === family('email.attempts') ? -140 : -70))
  }
})

t.test('what hangs on a row still goes with it, and needs it', async (t) => {
  const left = async (text: string, id: unknown) => Number((await client.query(text, [id])).rows[0].count)
  await client.query('delete from email.messages where id = $1', [mails[0]])
  t.equal(await left('select count(*) from email.attempts where message_id = $1', mails[0]), 0)
  await client.query('delete from webhooks.events where id = $1', [told[0]?.event])
  t.equal(await left('select count(*) from webhooks.deliveries where id = $1', told[0]?.delivery), 0)
  await t.rejects(
    client.query('update webhooks.deliveries set event_id = $1 where id = $2', [newId(), told[1]?.delivery]),
  )
  await t.rejects(client.query('update email.attempts set message_id = $1 where message_id = $2', [newId(), mails[1]]))
  await client.query('delete from account.orgs where id = $1', [org])
  t.equal(await left('select count(*) from webhooks.deliveries where org_id = $1', org), 0)
})

t.test('where an id tells no time, one partition takes all', async (t) => {
  const far = `${name}_far`
  await admin.query(`create database ${far}`)
  t.teardown(() => admin.query(`drop database ${far} with (force)`))
  const farUrl = url.replace(name, far)
  await migrate(farUrl, { dir })
  const other = await openPool(farUrl, 2)
  t.teardown(() => other.end())
  const its = new pg.Client({ connectionString: farUrl })
  await its.connect()
  t.teardown(() => its.end())
  const owner = newId()
  await its.query(`insert into account.orgs (id, name, plan) values ($1, 'far', 'free')`, [owner])
  await its.query(
    `insert into webhooks.events (id, org_id, type, data, created_at)
    values ('f47ac10b-58cc-4372-a567-0e02b2c3d479', $1, 'email.sent', '{}', now())`,
    [owner],
  )
  await migrate(farUrl)
  t.equal((await getDivision(other, family('webhooks.events'), new Date())).end, null)
  t.same(
    (await list(other, 'webhooks.deliveries')).map((part) => part.to),
    [null, null],
  )
  await addEvent(other, owner, new Date(), 'pending')
})
