import pg from 'pg'
import t from 'tap'
import { explain } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const people = 12_000

t.test('adding people to a large topic and listing it reads no other people', async (t) => {
  const { db, url } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], { only: ['notify'] })
  const { org, keys } = await testOrg(db, ['notify:read', 'notify:write'])
  const ask = (request: string, body?: unknown) => ingress.ask(request, { key: keys.main, body })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())

  await ask('PUT /v1/notify/topics/news', { name: 'News' })
  await client.query(
    `insert into notify.topic_people (id, topic_id, org_id, user_id, subject)
     select gen_random_uuid(), t.id, t.org_id, gen_random_uuid(), 'person-' || i
     from notify.topics as t, generate_series(1, ${people}) as i where t.org_id = $1`,
    [org.id],
  )
  await client.query('analyze notify.topic_people')

  const statements = await recordStatements(async () => {
    const added = await ask('PUT /v1/notify/topics/news/people', { user_ids: ['ann', 'bob'] })
    t.match(added.body, { added: 2, people: people + 2 })
    t.match((await ask('GET /v1/notify/topics')).body, { data: [{ key: 'news', people: people + 2 }] })
    const removed = await ask('DELETE /v1/notify/topics/news/people', { user_ids: ['ann', 'nobody'] })
    t.match(removed.body, { removed: 1, people: people + 1 })
  })
  for (const statement of statements) t.same((await explain(client, statement, 1_000)).big, [], `${statement.text}`)
})

t.test('a topic counts people who leave several topics in one statement', async (t) => {
  const { db, url } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], { only: ['notify'] })
  const { org, keys } = await testOrg(db, ['notify:read', 'notify:write'])
  const ask = (request: string, body?: unknown) => ingress.ask(request, { key: keys.main, body })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())

  for (const key of ['news', 'offers']) {
    await ask(`PUT /v1/notify/topics/${key}`, { name: key })
    await ask(`PUT /v1/notify/topics/${key}/people`, { user_ids: ['ann', 'bob', 'cy'] })
  }
  await client.query(`delete from notify.topic_people where org_id = $1 and subject <> 'ann'`, [org.id])
  t.match((await ask('GET /v1/notify/topics')).body.data, [{ people: 1 }, { people: 1 }])
})
