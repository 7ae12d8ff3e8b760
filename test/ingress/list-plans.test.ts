import pg from 'pg'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { createTestTables } from '../../ops/trials/bench/depth/grow.ts'
import { explain, type Statement } from '../../ops/trials/bench/depth/plans.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { buildListRequests, findListOperations, type ListRequest } from '../../ops/trials/bench/depth/requests.ts'
import { fewRows, setFirstRowAge } from '../../ops/trials/bench/depth/rows.ts'
import { areasNamed } from '../support/areas.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { isWhole, sample } from '../support/sample.ts'

t.setTimeout(240_000)

const rows = 10_501
const most = 3_000

/** Requests whose statements can read more, and the reason. */
const mayRead: readonly [RegExp, string][] = [
  [
    /^account\.streams\.list (kind|source)=/,
    'an organisation has up to as many streams as its plan allows: 5 by default',
  ],
  [/^ai\.vector-store-batches\.listFiles /, 'it counts the files of one batch, of which there are up to 500'],
  [
    /^erp\.companies\.search (city|legal_form|status|registered_from|registered_to)=/,
    'it is given a second, as a search is: filters without a name are for few companies',
  ],
  [
    /^hooks\.messages\.list status=/,
    'the deliveries of up to 50 endpoints of one app; here, one app has half of all endpoints and messages',
  ],
  [/^notify\.connections\.list (kind|state)=/, 'an organisation has up to 500 connections'],
  [/^notify\.inbox\.list .*(unread|unseen)=false/, 'the inbox of one person, as long as it is kept'],
  [
    /^verify\.conversions\.read /,
    'it counts: `days` bounds what is read, up to 30 days of one organisation, and an index has all of it',
  ],
  [/^wiki\.claims\.list article_id=/, 'the claims of one article'],
]

/** Requests that do not return a list, and the reason. */
const unanswered: readonly [RegExp, string][] = [
  [/^(email|push)\.webhook-deliveries\.list /, 'the statement is that of `account.webhook-deliveries.list`'],
  [/^hooks\.attempts\.ofEndpoint /, 'the statement is that of `account.webhook-deliveries.list`'],
  [/^erp\.registers\.changes /, 'the imports here have not come to anything'],
  [/^whatsapp\.templates\.list /, 'the list is of the provider'],
]

t.test('no list reads a table from end to end, or sorts it', async (t) => {
  const { db, url } = await testDatabase(t)
  const every = findListOperations(await areasNamed())
  const lists = sample(every, 4)
  t.ok(every.length > 50, `${every.length} lists`)
  const { org, keys } = await testOrg(db, [...new Set(lists.flatMap(({ route }) => route.scope ?? []))])
  const ingress = await testIngress(t, db, [], { services: [provide(signingSecret, 's'.repeat(32))] })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())

  const statuses = new Map<string, number>()
  const ask = async ({ operation, what, path }: ListRequest) => {
    const first = await ingress.ask(`GET ${path}`, { key: keys.main })
    statuses.set(`${operation.id} ${what}`, first.status)
    const cursor = first.body?.next_cursor
    if (cursor) await ingress.ask(`GET ${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`, { key: keys.main })
  }
  const walk = async () => {
    const sent = new Map<string, { of: string; statement: Statement }>()
    for (const request of lists.flatMap(buildListRequests))
      for (const statement of await recordStatements(() => ask(request)))
        sent.set(JSON.stringify(statement), { of: `${request.operation.id} ${request.what}`, statement })
    return [...sent.values()]
  }

  setFirstRowAge(rows + 1_000)
  const ground = await createTestTables(client, org.id)
  const grown = await ground.readBy((await walk()).map(({ statement }) => statement))
  await ground.grow(grown, fewRows + 1, rows)
  const needed = new Set<RegExp>()
  for (const { of, statement } of await walk()) {
    const { big } = await explain(client, statement, most)
    const excused = mayRead.find(([requests]) => requests.test(of))?.[0]
    if (big.length > 0 && excused) needed.add(excused)
    else t.same(big, [], `${of}: ${statement.text}`)
  }
  for (const [requests] of isWhole ? mayRead : [])
    t.ok(needed.has(requests), `${requests} is an exception that is needed`)
  for (const [of, status] of statuses) if (!unanswered.some(([requests]) => requests.test(of))) t.equal(status, 200, of)
})
