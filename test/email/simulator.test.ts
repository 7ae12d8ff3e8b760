import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { createSimulator } from '../../workers/mail/simulator.ts'
import { get, signedIn } from '../app/fixture.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'
import { dial } from './smtp-client.ts'

t.setTimeout(240_000)

const { db, databaseUrl, sender, ingress } = await sending(t, ['app', 'account'])
const stack = await mailStack(t, 'sender.example', { url: databaseUrl, db })
await stack.startWorkers({ MAIL_HOSTNAME: 'localhost', MAIL_SMARTHOST: 'smtp://127.0.0.1:9' }, 'mail-transactional')

const ends = { delivered: 'delivered', bounced: 'bounced', complained: 'complained', deferred: 'deferred' }

async function scene() {
  const one = await sender()
  await addDomain(db, one.orgId, 'mail.example')
  await db.query(sql.typeAlias('void')`
    insert into webhooks.settings (org_id, keep_events) values (${one.orgId}, true)`)
  const from = { email: 'orders@mail.example' }
  return {
    ...one,
    async try(receiver: string, key = one.key, more: object = {}) {
      const { body } = await one.send({ from, to: `${receiver}@simulator.localhost`, ...more }, { key })
      return body.id as string
    },
    async becomes(id: string, status: string, key = one.key) {
      return await until(
        async () => {
          const { body } = await one.ask(`GET /send/v1/messages/${id}`, { key })
          return body.status === status && body
        },
        { what: `${id} is ${status}` },
      )
    },
    events: (id: string) =>
      db.anyFirst(sql.type(z.object({ type: z.string() }))`
        select type from webhooks.events where org_id = ${one.orgId} and data ->> 'id' = ${id} order by id`),
  }
}

const told = {
  delivered: ['email.accepted', 'email.sent', 'email.delivered'],
  bounced: ['email.accepted', 'email.bounced'],
  complained: ['email.accepted', 'email.sent', 'email.delivered', 'email.complained'],
  deferred: ['email.accepted', 'email.deferred'],
}

t.test(
  'each simulated receiver has a message come to its end on the way of all mail, live and with a sandbox key',
  async (t) => {
    const one = await scene()
    for (const key of [one.key, one.sandbox])
      for (const [receiver, end] of Object.entries(ends)) {
        const id = await one.try(receiver, key)
        const message = await one.becomes(id, end, key)
        t.match(message, { sandbox: key === one.sandbox, route: [{ mx_host: 'simulator.localhost' }] }, receiver)
        t.same(await one.events(id), told[receiver as keyof typeof told], receiver)
      }
    t.match((await one.ask('GET /send/v1/messages?status=bounced')).body.data[0], {
      reply_class: 'invalid_recipient',
      reason: '550 5.1.1 No such user here',
    })
  },
)

t.test('the page of a message shows the header and the source that were sent', async (t) => {
  const one = await scene()
  const developer = await signedIn(db, ingress.url, one.orgId, 'developer')
  const id = await one.try('delivered', one.key, { subject: 'Größe', html: '<p>Hi' })
  await one.becomes(id, 'delivered')
  const header = (await get(ingress.url, `/app/mail/${id}?view=headers`, developer)).text
  t.match(header, /DKIM-Signature<.*d=mail\.example.*Subject<.*=\?UTF-8\?.*Message-ID<.*multipart\/alternative/s)
  const source = (await get(ingress.url, `/app/mail/${id}?view=source`, developer)).text
  t.match(source, /<pre[^>]*>DKIM-Signature: .*Content-Type: text\/html; charset=utf-8.*&lt;p&gt;Hi/s)
  const kept = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from jobs.runs where task = 'email/show-source' and result is not null`)
  t.equal(kept, 0, 'no copy of the message is kept')
})

t.test('nobody is suppressed by it, and no rate knows of it', async (t) => {
  const one = await scene()
  for (const receiver of ['bounced', 'complained', 'bounced+again'])
    await one.becomes(await one.try(receiver), receiver.split('+')[0] as string)
  await one.becomes(await one.try('bounced'), 'bounced')
  t.same((await one.ask('GET /send/v1/suppressions')).body.data, [])
  const count = sql.typeAlias('count')`select count(*) from email.daily where org_id = ${one.orgId}`
  t.equal(await db.oneFirst(count), 0)
  t.match((await one.ask('GET /send/v1/usage')).body, { messages: 4 }, 'the plan counts what is sent')
})

t.test('a sandbox key may try it from a domain that is not set up, a live one may not', async (t) => {
  const one = await scene()
  const more = { from: { email: 'a@nowhere.example' } }
  await one.becomes(await one.try('delivered', one.sandbox, more), 'delivered', one.sandbox)
  const live = await one.send({ ...more, to: 'delivered@simulator.localhost' })
  t.equal(live.status, 403)
})

t.test('a confirmed contact of the simulator complains and stays confirmed', async (t) => {
  const one = await scene()
  const email = 'complained@simulator.localhost'
  t.equal((await one.ask('POST /send/v1/contacts', { key: one.sandbox, body: { email } })).status, 201)
  await stack.startWorkers({ MAIL_HOSTNAME: 'localhost' }, 'mail-campaign')
  const id = await one.try('complained', one.sandbox, { stream: 'subscribed' })
  await one.becomes(id, 'complained', one.sandbox)
  t.match((await one.ask(`GET /send/v1/contacts/${email}`, { key: one.sandbox })).body, { status: 'confirmed' })
})

t.test('what is deferred is taken when it comes again a minute after it was accepted', async (t) => {
  const simulator = createSimulator()
  t.teardown(() => simulator.close())
  const { client } = await dial(t, await simulator.port())
  const old = `01900000-0000-7000-8000-${newId().slice(-12)}`
  const tried = async (envid: string, to: string) => {
    for (const line of ['EHLO x', `MAIL FROM:<> ENVID=${envid}`]) await client.say(line)
    const reply = await client.say(`RCPT TO:<${to}@simulator.localhost>`)
    await client.say('RSET')
    return reply
  }
  t.match(await tried(newId(), 'deferred'), '451 4.7.1 Greylisted')
  t.match(await tried(old, 'deferred'), /^250/)
  t.match(await tried(newId(), 'nobody'), '550 5.1.1 No such user here: use delivered, bounced, complained or deferred')
})
