import '../support/pools-environment.ts'
import t from 'tap'
import { z } from 'zod'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { testIngress } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await mailStack(t)
const { db, orgId } = stack
const ingress = await testIngress(t, db, [], { only: ['people', 'email'] })
const scopes = ['people:read', 'people:write', 'email:send', 'email:manage']
const { secret: key } = await keyRows.create(db, { orgId, prefix: 'bt_live_', name: 'live', scopes })
const ask = (request: string, body?: object) => ingress.ask(request, { key, ...(body && { body }) })

const gate = Promise.withResolvers<undefined>()
const held: string[] = []
const sink = await startSink(t, '127.0.0.1', 0, {
  onMail({ to }) {
    held.push(to)
    return gate.promise
  },
})

t.test('people who are erased while a campaign is delivered get nothing, and leave nothing', async (t) => {
  const people = Array.from({ length: 60 }, (_, n) => `p${n}`)
  const addressOf = (user: string) => `${user}@rcpt.example`
  for (const user of people) await ask('POST /send/v1/contacts', { email: addressOf(user), user_id: user })
  const content = { name: 'News', subject: 'News', html: '<p>Hello</p>', from_email: 'shop@sender.example' }
  const id = (await ask('POST /send/v1/campaigns', content)).body.id
  t.equal((await ask(`POST /send/v1/campaigns/${id}/send`, {})).status, 202)
  await stack.startWorkers(
    { MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`, MAIL_SMARTHOST_DELIVERS: 'true' },
    'core,mail-campaign',
  )
  await until(() => held.length > 0, { what: 'the first email is being delivered', timeout: 60_000 })
  await until(async () => (await ask(`GET /send/v1/campaigns/${id}`)).body.progress !== undefined)
  const inDelivery = people.find((user) => held.includes(addressOf(user))) as string
  const waiting = people.filter((user) => !held.includes(addressOf(user))).slice(-5)
  const erasures: string[] = []
  for (const user of [inDelivery, ...waiting]) erasures.push((await ask(`POST /v1/people/${user}/erase`, {})).body.id)
  const isDone = async (erasure: string) => (await ask(`GET /v1/people/erasures/${erasure}`)).body.status === 'done'
  for (const erasure of erasures.slice(1)) await until(() => isDone(erasure), { what: 'an erasure', timeout: 60_000 })
  t.notOk(
    waiting.some((user) => held.includes(addressOf(user))),
    'nobody of them had an email by then',
  )
  gate.resolve(undefined)
  await until(async () => (await ask(`GET /send/v1/campaigns/${id}`)).body.progress === 1, { timeout: 60_000 })
  await until(() => isDone(erasures[0] as string), { timeout: 60_000 })
  const reached = new Set(sink.mails.map(({ to }) => to))
  for (const user of waiting) t.notOk(reached.has(addressOf(user)), user)
  t.equal(reached.size, people.length - waiting.length, 'everybody else is reached')
  const left = await db.anyFirst(sql.type(z.object({ to_email: z.string() }))`
    select to_email from email.messages where org_id = ${orgId}
      and to_email = any(${sql.array([inDelivery, ...waiting].map(addressOf), 'text')})`)
  t.same(left, [])
  const statuses = await db.any(sql.type(z.object({ status: z.string(), count: z.number() }))`
    select status, count(*) from email.messages where campaign_id = ${id} group by status order by status`)
  t.same(statuses, [
    { status: 'cancelled', count: waiting.length },
    { status: 'delivered', count: people.length - waiting.length },
  ])
})
