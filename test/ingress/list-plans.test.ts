import pg from 'pg'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { bounds } from '../../ops/trials/bench/depth/bounds.ts'
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
    for (const request of lists.flatMap((operation) => buildListRequests(operation)))
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
    const excused = bounds.find(([requests]) => requests.test(of))?.[0]
    if (big.length > 0 && excused) needed.add(excused)
    else t.same(big, [], `${of}: ${statement.text}`)
  }
  for (const [requests] of isWhole ? bounds : [])
    t.ok(needed.has(requests), `${requests} is an exception that is needed`)
  for (const [of, status] of statuses) if (!unanswered.some(([requests]) => requests.test(of))) t.equal(status, 200, of)
})
