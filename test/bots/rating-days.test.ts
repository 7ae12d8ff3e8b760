import pg from 'pg'
import t from 'tap'
import { firstIdAt, newId } from '#lib/ids.ts'
import { explain } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { readMigrationFrom } from '../support/migration-part.ts'

const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['bots'] })
const { org, keys: apiKeys } = await testOrg(db, ['bots:read'])
const client = new pg.Client({ connectionString: url })
await client.connect()
t.teardown(() => client.end())

const hourMs = 3_600_000
const [shop, help, mari, jaan] = [newId(), newId(), newId(), newId()]

const keys = {
  bot: 'bot_id::text',
  assignee: 'assignee_id::text',
  week: `date_trunc('week', created_at at time zone 'utc')::date::text`,
}

type By = keyof typeof keys

interface Period {
  since: Date
  until: Date
  bot?: string
}

/** Returns the groups, counted from all ratings, by their key. */
async function countPlainly(by: By, { since, until, bot }: Period) {
  const { rows } = await client.query<Summary>(
    `select ${keys[by]} as key, count(*)::integer as ratings, avg(score)::float8 as average,
       array[${[1, 2, 3, 4, 5].map((score) => `count(*) filter (where score = ${score})`)}]::int4[] as scores
     from bots.ratings where org_id = $1 and id >= $2 and id < $3 and ($4::uuid is null or bot_id = $4) group by 1`,
    [org.id, firstIdAt(since), firstIdAt(until), bot],
  )
  return inOrder(rows)
}

type Summary = { key: string | null; ratings: number; average: number; scores: number[] }

const inOrder = (groups: readonly Summary[]) =>
  groups
    .map(({ key, ratings, average, scores }) => ({ key, ratings, average, scores }))
    .sort((a, b) => `${a.key}`.localeCompare(`${b.key}`))

async function summarise(by: By, { since, until, bot }: Period) {
  const query = new URLSearchParams({ by, since: since.toISOString(), until: until.toISOString() })
  if (bot) query.set('bot_id', bot)
  const { body } = await ingress.ask(`GET /v1/bots/conversations/ratings/summary?${query}`, { key: apiKeys.main })
  return inOrder(body.data)
}

const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000

/** Adds ratings at regular times before now. Without their conversations, which no summary reads. */
async function addRatings(count: number, everyMs: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, i) => {
    const at = new Date(midnight - i * everyMs)
    return `${firstIdAt(at).slice(0, 19)}${newId().slice(19)}`
  })
  await client.query(
    `insert into bots.ratings (conversation_id, id, org_id, bot_id, assignee_id, score, created_at)
     select gen_random_uuid(), id, $1, ($3::uuid[])[1 + n % 2], ($4::uuid[])[1 + n % 3], 1 + n * 7 % 5,
       to_timestamp(($5::bigint - (n - 1) * $6) / 1000.0) + interval '5 minutes'
     from unnest($2::uuid[]) with ordinality as i (id, n)`,
    [org.id, ids, [shop, help], [mari, jaan], midnight, everyMs],
  )
}

const at = (hours: number) => new Date(midnight + hours * hourMs)

/** Periods that start and end within a day, at midnight, and in the same day or hour. */
const periods: Period[] = [
  { since: at(-90 * 24), until: at(1) },
  { since: at(-24 * 9), until: at(-24 * 2) },
  { since: at(-24 * 9 - 0.3), until: at(-24 * 2 + 7.7), bot: shop },
  { since: at(-30), until: at(-25) },
  { since: at(-30), until: at(-20), bot: help },
  { since: at(-47), until: at(-24) },
  { since: at(-24), until: at(-3) },
  { since: at(-24 * 3), until: at(-24 * 2) },
]

const firstStatement = (text: string) => text.slice(0, text.indexOf(';'))

t.before(() => client.query('alter table bots.ratings drop constraint ratings_conversation_id_fkey'))

t.test('summaries equal the count of all ratings after additions, changes and deletions', async (t) => {
  const changes = [
    'update bots.ratings set score = 1 + score % 5 where bot_id = any($1) and score > 2',
    'update bots.ratings set comment = $2 where bot_id = any($1)',
    'delete from bots.ratings where bot_id = any($1) and score = 3',
    'update bots.ratings set assignee_id = null where bot_id = any($1) and assignee_id < $2::uuid',
    'delete from bots.ratings where bot_id = any($1) and conversation_id < $2::uuid',
  ]
  for (const change of changes) {
    await addRatings(300, 1.7 * hourMs)
    const values = [[shop, help], '70000000-0000-7000-8000-000000000000']
    await client.query(change, change.includes('$2') ? values : values.slice(0, 1))
    for (const by of Object.keys(keys) as By[])
      for (const period of periods) {
        const { since, until } = period
        const what = `${change}: ${by}, ${since.toISOString()} to ${until.toISOString()}`
        t.same(await summarise(by, period), await countPlainly(by, period), what)
      }
  }
  const year = periods[0] as Period
  t.ok((await summarise('week', year)).length > 2)
  await client.query('delete from bots.rating_days')
  await client.query(await readMigrationFrom('0193_counts_by_day', 'insert into bots.rating_days').then(firstStatement))
  t.same(await summarise('bot', year), await countPlainly('bot', year), 'the migration counts earlier ratings')
  await client.query('delete from bots.ratings where org_id = $1', [org.id])
  t.equal((await client.query('select from bots.rating_days')).rows.length, 0)
})

t.test('a summary does not read the ratings of whole days', async (t) => {
  await addRatings(12_000, 0.1 * hourMs)
  await client.query('analyze bots.ratings, bots.rating_days')
  for (const by of Object.keys(keys) as By[]) {
    const statements = await recordStatements(async () => {
      const groups = await summarise(by, periods[0] as Period)
      t.equal(
        groups.reduce((all, { ratings }) => all + ratings, 0),
        12_000,
      )
    })
    for (const statement of statements) t.same((await explain(client, statement, 2_000)).big, [], by)
  }
})
