import pg from 'pg'
import t, { type Test } from 'tap'
import { newId } from '#lib/ids.ts'
import { countOfCampaign, engagementCounters, listEngagementByDay } from '#sql/email/engagement-counts.ts'
import * as engagements from '#sql/email/engagements.ts'
import { explain } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { readMigrationFrom } from '../support/migration-part.ts'

t.setTimeout(120_000)

const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['email'] })
const client = new pg.Client({ connectionString: url })
await client.connect()
t.teardown(() => client.end())

/** Each figure, counted from the rows of all opens and clicks. */
const plain = `
  count(distinct e.message_id) filter (where e.kind = 'open' and not e.machine) as opened,
  coalesce(sum(e.count) filter (where e.kind = 'open' and not e.machine), 0) as opens,
  count(distinct e.message_id) filter (where e.kind = 'click' and not e.machine) as clicked,
  coalesce(sum(e.count) filter (where e.kind = 'click' and not e.machine), 0) as clicks,
  count(distinct e.message_id) filter (where e.kind = 'open' and e.machine) as machine_opened,
  coalesce(sum(e.count) filter (where e.kind = 'open' and e.machine), 0) as machine_opens,
  count(distinct e.message_id) filter (where e.kind = 'click' and e.machine) as machine_clicked,
  coalesce(sum(e.count) filter (where e.kind = 'click' and e.machine), 0) as machine_clicks`

const keys = {
  day: `(e.first_at at time zone 'utc')::date::text`,
  domain: `split_part(m.from_email, '@', 2)`,
  campaign: 'm.campaign_id::text',
  tag: `t.name || ':' || t.value`,
}

type GroupBy = keyof typeof keys
type Filter = { days: number; stream?: string; campaign?: string }

/** Returns the groups by key. The filter of days has the same bound as the request. */
async function countPlainly(orgId: string, groupBy: GroupBy, { days, stream, campaign }: Filter) {
  const { rows } = await client.query(
    `select ${keys[groupBy]} as key, ${plain} from email.engagements as e join email.messages as m on m.id = e.message_id
       ${groupBy === 'tag' ? 'join email.message_tags as t on t.message_id = m.id' : ''}
     where e.org_id = $1 and e.first_at >= ((now() at time zone 'utc')::date - $2::integer)::timestamp at time zone 'utc'
       and ($3::text is null or m.stream = $3) and ($4::uuid is null or m.campaign_id = $4) and ${keys[groupBy]} is not null
     group by 1`,
    [orgId, days - 1, stream, campaign],
  )
  return byKey(rows)
}

const groupings = Object.keys(keys) as GroupBy[]

type Row = { key: string } & Record<string, unknown>

const byKey = (rows: readonly Row[]): [string, number[]][] =>
  rows.map((row): [string, number[]] => [row.key, pick(row)]).sort(([a], [b]) => (a < b ? -1 : 1))

const pick = (row: Record<string, unknown>) => engagementCounters.map((name) => Number(row[name]))

/** Returns a repeatable sequence of integers from 0 up to `below`. */
function draws(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const streams = ['transactional', 'subscribed'] as const

/** Adds messages of two domains, with and without a campaign and tags. */
async function addMessages(orgId: string, count: number, campaigns: readonly string[]): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  await client.query(
    `insert into email.messages (id, org_id, stream, domain_id, from_email, to_email, subject, content_id, message_id,
       campaign_id, sent_at)
     select id, $1, ($3::text[])[1 + n % 2], gen_random_uuid(), 'a@' || n % 3 % 2 || '.example', n || '@to.example', 's', gen_random_uuid(),
       id::text, ($4::uuid[])[1 + n % 5], now() - interval '100 days'
     from unnest($2::uuid[]) with ordinality as i (id, n)`,
    [orgId, ids, streams, campaigns],
  )
  await client.query(
    `insert into email.message_tags (message_id, org_id, name, value)
     select id, $1, name, n % 3 from unnest($2::uuid[]) with ordinality as i (id, n), unnest(array['kind', 'plan']) as name
     where n % 4 <> 0 and (name = 'kind' or n % 2 = 0)`,
    [orgId, ids],
  )
  return ids
}

/** Returns the requests of one batch, at any time of the last days. */
function draw(next: ReturnType<typeof draws>, ids: readonly string[], count: number): engagements.GivenEngagement[] {
  return Array.from({ length: count }, () => {
    const at = new Date(Date.now() - next(12 * 24) * 3_600_000).toISOString()
    const kind = next(3) === 0 ? 'open' : 'click'
    return {
      message_id: ids[next(ids.length)] as string,
      kind,
      url: kind === 'open' ? '' : `https://shop.example/${next(4)}`,
      machine: next(4) === 0,
      reason: null,
      count: 1 + next(3),
      first_at: at,
      last_at: at,
      user_agent: null,
    }
  })
}

async function createScene() {
  const { org, keys: apiKeys } = await testOrg(db, ['email:manage'])
  const campaigns = [newId(), newId()]
  const ids = await addMessages(org.id, 60, campaigns)
  return { orgId: org.id, campaigns, ids, key: apiKeys.main }
}

type Scene = Awaited<ReturnType<typeof createScene>>

const listFilters = (campaign: string): Filter[] => [
  { days: 1 },
  { days: 4 },
  { days: 30 },
  { days: 4, stream: streams[1] },
  { days: 9, campaign },
  { days: 30, stream: streams[0], campaign },
]

async function compare(t: Test, { orgId, campaigns, key }: Scene, when: string) {
  const campaign = campaigns[0] as string
  for (const groupBy of groupings)
    for (const filter of listFilters(campaign)) {
      const { campaign: campaign_id, days, ...rest } = filter
      const query = new URLSearchParams({
        group_by: groupBy,
        days: `${days}`,
        ...rest,
        ...(campaign_id && { campaign_id }),
      })
      const { body } = await ingress.ask(`GET /send/v1/analytics/engagement?${query}`, { key })
      t.same(byKey(body.data), await countPlainly(orgId, groupBy, filter), `${when}: ${query}`)
    }
  const [whole] = await countPlainly(orgId, 'campaign', { days: 1_000, campaign })
  t.same([campaign, pick(await countOfCampaign(db, orgId, campaign))], whole, `${when}: campaign`)
  const days = new Map(await countPlainly(orgId, 'day', { days: 30 }))
  const shown = (await listEngagementByDay(db, orgId, 30)).filter(({ day }) => days.has(day))
  t.same(
    shown.map(({ day, opened, clicked }) => [day, opened, clicked]),
    [...days].map(([day, counted]) => [day, counted[0], counted[2]]),
    `${when}: the chart`,
  )
}

async function readDays() {
  const { rows } = await client.query('select * from email.engagement_daily order by 1, 2, 3, 4, 5, 6, 7')
  return rows
}

const migration = '0196_email_engagement_daily'

/** Runs the part of the migration that counts the rows of earlier releases, in batches of 50 requests. */
async function countAgain() {
  const part = await readMigrationFrom(migration, 'do $$')
  await client.query('delete from email.engagement_daily')
  await client.query(part.replace('99999', '49'))
}

t.test('statistics by day equal the count of all opens and clicks after additions and deletions', async (t) => {
  const one = await createScene()
  const other = await createScene()
  const next = draws(7)
  for (let round = 1; round <= 4; round++) {
    const all = [...one.ids, ...other.ids]
    await Promise.all([1, 2, 3].map(() => db.transaction((tx) => engagements.record(tx, draw(next, all, 120)))))
    await compare(t, one, `requests of round ${round}`)
    const gone = one.ids.splice(0, 8)
    await client.query('delete from email.messages where id = any($1)', [gone])
    const emptied = one.ids.slice(0, 4)
    await client.query('delete from email.engagements where message_id = any($1)', [emptied])
    await client.query(`delete from email.engagements where message_id = any($1) and url like '%/2'`, [one.ids])
    await compare(t, one, `deletions of round ${round}`)
  }
  const days = await readDays()
  t.ok(days.length > 100, `${days.length} rows`)
  await countAgain()
  t.same(await readDays(), days, 'the migration counts earlier rows')
  await compare(t, other, 'the other organisation')
  await client.query('delete from email.messages where org_id = $1', [one.orgId])
  const { rows } = await client.query('select from email.engagement_daily where org_id = $1', [one.orgId])
  t.equal(rows.length, 0, 'no rows are left without messages')
})

t.test('statistics do not read each open and click', async (t) => {
  const { ids, campaigns, key, orgId } = await createScene()
  await client.query(
    `insert into email.engagements (message_id, org_id, kind, url, machine, count, first_at, last_at)
     select id, $2, 'click', 'https://shop.example/' || i, false, 1, now() - i % 30 * interval '1 day', now()
     from unnest($1::uuid[]) as id, generate_series(1, 100) as i`,
    [ids, orgId],
  )
  await client.query('analyze email.engagements, email.engagement_daily')
  for (const query of [...groupings.map((by) => `group_by=${by}`), `campaign_id=${campaigns[0]}`]) {
    const statements = await recordStatements(async () => {
      t.match(await ingress.ask(`GET /send/v1/analytics/engagement?${query}`, { key }), { status: 200 })
    })
    for (const statement of statements) t.same((await explain(client, statement, 2_000)).big, [], query)
  }
})

t.test('messages are written while the migration counts earlier rows', async (t) => {
  await client.query('begin')
  await client.query(`
    drop trigger count_added on email.engagements;
    drop trigger count_removed on email.engagements;
    drop trigger count_repeated on email.engagements;
    drop function email.count_engagements, email.count_repeated_engagements, email.add_engagement_changes,
      email.remove_empty_engagement_days, email.lock_engagement_days;
    drop table email.engagement_daily;
    drop type email.engagement_change`)
  await client.query(await readMigrationFrom(migration, 'create table email.engagement_daily'))
  const { rows } = await client.query(
    `select distinct mode from pg_locks where pid = pg_backend_pid() and relation = 'email.messages'::regclass`,
  )
  await client.query('rollback')
  t.same(rows, [{ mode: 'AccessShareLock' }])
})
