import pg from 'pg'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { maxPageBytes } from '../../ingress/http/lists/write-page.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { createTestTables } from '../../ops/trials/bench/depth/grow.ts'
import { recordStatements } from '../../ops/trials/bench/depth/record.ts'
import { buildListRequests, findListOperations } from '../../ops/trials/bench/depth/requests.ts'
import { addRows, fewRows, owner, rowId, setFirstRowAge } from '../../ops/trials/bench/depth/rows.ts'
import { areasNamed } from '../support/areas.ts'
import { testDatabase } from '../support/database.ts'
import { operationsOf, resolver } from '../support/extremes.ts'
import { leastHeldUp, mostHeldUpMs } from '../support/held-up.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { fieldLengths, largestValues } from '../support/largest-values.ts'

t.setTimeout(240_000)

/** Bytes of a page in addition to its items. */
const mostAround = 2_000

/** Tables with rows so large that a few fill several pages and more than one read. */
const ofLargeRows = /^(wiki\.(entities|claims)|email\.(campaigns|received)|push\.templates|notify\.(workflows|events))$/

/** Number of rows of a table: more than a page, and for large rows more than one read. */
const rowsOf = ({ name }: { name: string }) => fewRows + (ofLargeRows.test(name) ? 30 : 110)

const words: Record<string, string> = { 'wiki.search.find': 'word' }

/** Lists that find nothing in generated rows, and the reason. */
const empty: readonly [RegExp, string][] = [
  [/^(directory\.(channel-videos|videos|shorts|playlist-videos|live|search))\./, 'it shows what is public'],
  [/^(email|push)\.(webhooks|webhook-deliveries)\./, 'its rows are those of `account.webhooks`'],
  [/^hooks\.attempts\.ofEndpoint/, 'the endpoint of these rows belongs to the organisation'],
  [/^files\.multipart\./, 'it shows uploads in parts that are not complete'],
  [/^live\.chat-bans\./, 'it shows people who are banned'],
  [/^push\.(public-keys|topics\.subscriptions)/, 'the keys and topics of one app'],
  [/^video\.transcripts\./, 'it searches words that are written with the captions'],
  [/^whatsapp\.numbers\./, 'an organisation has one number'],
  [/^whatsapp\.templates\./, 'the list is of the provider'],
  [/^wiki\.passages\./, 'it searches passages that are written when an article is published'],
]

/** Returns the path of a list, with the largest page if it has pages. */
const pathOf = (operation: Parameters<typeof buildListRequests>[0]) => {
  const found = buildListRequests(operation)[0]?.path ?? ''
  const word = words[operation.id]
  const path = word === undefined ? found : found.replace(/q=[^&]*/, `q=${word}`)
  if (!operation.route.query?.shape.limit) return path
  return `${path}${path.includes('?') ? '&' : '?'}limit=100`
}

t.test('no list has more bytes than a page may have, or holds up its process', async (t) => {
  const { db, url } = await testDatabase(t)
  const areas = await areasNamed()
  const lists = findListOperations(areas)
  const { org, keys } = await testOrg(db, [...new Set(lists.flatMap(({ route }) => route.scope ?? []))])
  const ingress = await testIngress(t, db, [], { services: [provide(signingSecret, 's'.repeat(32))] })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())

  setFirstRowAge(1_000)
  const requests = lists.map((operation) => ({ id: operation.id, path: pathOf(operation) }))
  const ask = async (path: string) => {
    const response = await fetch(`${ingress.url}${path}`, {
      headers: { authorization: `Bearer ${keys.main}` },
    })
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  }

  const ground = await createTestTables(client, org.id)
  const counts = { read: 1, added: 1, changed: 1, missing: 1, left_out: 1, values_left_out: 1 }
  await client.query(`update erp.imports set state = 'done', counts = $2 where id = $1`, [rowId(owner), counts])
  const statements = await recordStatements(async () => {
    for (const { path } of requests) await ask(path)
  })
  const document = createOpenapi(areas) as unknown as Parameters<typeof operationsOf>[0]
  const largest = largestValues(fieldLengths(operationsOf(document), resolver(document)))
  for (const table of await ground.readBy(statements))
    await addRows(client, table, org.id, fewRows + 1, rowsOf(table), largest)
  // With unsorted rows in its text index, a search is too broad.
  await client.query('vacuum analyze wiki.entities, wiki.claims')

  for (const { id, path } of requests) {
    if (empty.some(([ids]) => ids.test(id))) continue
    const { status, body } = await ask(path)
    t.equal(status, 200, `${id} is answered`)
    t.ok(body.length <= maxPageBytes + mostAround, `${id} has ${body.length} bytes`)
    t.ok(body.length > 100, `${id} is not empty`)
    const ms = await leastHeldUp(() => ask(path))
    t.ok(ms <= mostHeldUpMs, `${id} holds up the process for ${ms} ms`)
  }
})
