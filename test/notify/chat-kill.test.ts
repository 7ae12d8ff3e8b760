import '../support/chat-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { providerServer } from '../sms/provider-server.ts'
import { startProcess } from '../support/killed-process.ts'
import { until } from '../support/until.ts'
import { flowing } from './flows.ts'
import { person, secret } from './people.ts'

t.setTimeout(240_000)
const ground = await flowing(t)
const { db } = ground
const server = await providerServer(t)
const dev = await ground.sender()
await db.query(sql.typeAlias('void')`update account.orgs set name = 'dev' where id = ${dev.orgId}`)
const messages = 120
const worker = () => startProcess(t, new URL('./chat-worker-process.ts', import.meta.url), [ground.databaseUrl, secret])

async function connect(kind: string): Promise<string> {
  const body = { kind, name: kind, url: `${server.url}/${kind}` }
  const { body: made, text } = await dev.ask('POST /v1/notify/connections', { body })
  if (!made.id) throw new Error(text)
  return made.id
}

t.test('workers that are killed post no chat message twice, and repeat one to a URL with the same ID', async (t) => {
  const kinds = ['slack', 'url']
  const connection_ids = [await connect('slack'), await connect('url')]
  let kill = await worker()
  await until(async () => {
    const { data } = (await dev.ask('GET /v1/notify/connections')).body
    return data.every(({ state }: { state: string }) => state === 'active')
  })
  await kill()
  server.received.splice(0)
  server.always = (_, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'), 60)
  }
  const posts = (count: number) => until(() => server.received.length >= count, { every: 2, timeout: 60_000 })
  for (let n = 0; n < messages; n++) {
    const user = person()
    await dev.ask(`PUT /v1/notify/people/${user}`, { body: { connection_ids } })
    await dev.tell(user, { channels: kinds, title: `Message ${n}` })
  }
  const count = sql.typeAlias('count')`select count(*) from notify.chat_messages where title like 'Message %'`
  await until(async () => (await db.oneFirst(count)) === kinds.length * messages, { timeout: 60_000 })
  for (const more of [20, 30]) {
    kill = await worker()
    await posts(server.received.length + more)
    await kill()
  }
  t.ok(server.received.length < kinds.length * messages, `killed twice, after ${server.received.length} messages`)
  await worker()
  const Row = z.object({ kind: z.string(), title: z.string(), status: z.string() })
  const rows = await until(
    async () => {
      const all = await db.any(sql.type(Row)`
        select c.kind, m.title, m.status from notify.chat_messages as m
        join notify.connections as c on c.id = m.connection_id
        where m.org_id = ${dev.orgId} and m.title like 'Message %'`)
      const open = all.filter(({ status }) => status === 'queued' || status === 'sending')
      return all.length === kinds.length * messages && open.length === 0 && all
    },
    { timeout: 90_000, what: 'every message has ended' },
  )
  const titleIn = (raw: string) => /Message \d+/.exec(raw)?.[0]
  const received = (kind: string) =>
    Map.groupBy(
      server.received.filter(({ path }) => path === `/${kind}`),
      ({ raw }) => titleIn(raw),
    )
  const slack = received('slack')
  t.same(
    [...slack].filter(([, all]) => all.length > 1),
    [],
    'no message is posted twice',
  )
  const ofSlack = rows.filter(({ kind }) => kind === 'slack')
  const unclear = ofSlack.filter(({ status }) => status === 'unknown')
  t.ok(unclear.length <= 16, `${unclear.length} are unclear: at most those in progress`)
  t.ok(ofSlack.every(({ status, title }) => status === 'unknown' || (status === 'sent' && slack.has(title))))

  const urls = received('url')
  t.ok(rows.filter(({ kind }) => kind === 'url').every(({ status, title }) => status === 'sent' && urls.has(title)))
  const repeated = [...urls.values()].filter((all) => all.length > 1)
  t.comment(`${unclear.length} unclear, ${repeated.length} repeated`)
  t.ok(unclear.length + repeated.length > 0, 'a worker was killed while it was posting')
  t.ok(repeated.every((all) => new Set(all.map(({ headers }) => headers['webhook-id'])).size === 1))
})
