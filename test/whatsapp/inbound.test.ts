import t from 'tap'
import { z } from 'zod'
import * as closures from '#sql/account/closures.ts'
import { sql } from '#sql/db.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { assignWaitingMessages } from '#tasks/whatsapp/rules/inbound.ts'
import { type Ask, testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { phoneNumberId } from './cloud-api-server.ts'
import { change, whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, db, ingress, hear, webhook } = stack
await stack.startWorkers()

let numbers = 5_590_000
const stranger = () => `+372${numbers++}`

/** Another organisation with the same number. */
async function organisation() {
  const { org, keys } = await testOrg(db, ['whatsapp:send'])
  const ask = (request: string, options?: Ask) => ingress.ask(request, { key: keys.main, ...options })
  return {
    id: org.id,
    ask,
    template: (to: string) =>
      ask('POST /v1/whatsapp/send-template', { body: { to, template: { name: 'hi', language: { code: 'en' } } } }),
    say: (to: string, more: object = {}) =>
      ask('POST /v1/whatsapp/send', { body: { to, text: { body: 'Hi' }, ...more } }),
    read: async (id: string) => (await ask(`GET /v1/whatsapp/messages/${id}`)).body,
    inbound: async (from: string): Promise<string[]> => {
      const { body } = await ask(`GET /v1/whatsapp/messages?direction=inbound&phone=${encodeURIComponent(from)}`)
      return body.data.map(({ provider_message_id }: { provider_message_id: string }) => provider_message_id)
    },
  }
}

const [one, other, named] = [await organisation(), await organisation(), await organisation()]
const now = () => Math.floor(Date.now() / 1000)

t.test('an answer is for whose message the person got last, not for whose was refused or never sent', async (t) => {
  const to = stranger()
  t.equal((await one.template(to)).status, 200)
  api.next.push((_, response) => void response.writeHead(400).end('{"error":{"code":131026}}'))
  t.equal((await other.template(to)).status, 400)
  t.equal((await other.say(to)).status, 400, 'outside the window')
  const waiting = await other.template(to)
  t.equal(waiting.status, 200)
  await db.query(sql.typeAlias('void')`
    update whatsapp.messages set status = 'queued', taken_at = null where id = ${waiting.body.id}`)
  await hear(to, { id: 'wamid.a1' })
  t.same([await one.inbound(to), await other.inbound(to)], [['wamid.a1'], []])

  const failing = await other.template(to)
  await stack.tell(failing.body.provider_message_id, 'failed', { code: 131026 })
  await hear(to, { id: 'wamid.a2' })
  t.same(await one.inbound(to), ['wamid.a2', 'wamid.a1'], 'one that WhatsApp took and could not deliver')
  await other.template(to)
  await hear(to, { id: 'wamid.a3' })
  t.same(await other.inbound(to), ['wamid.a3'])
})

t.test('a message told again opens no window for whoever wrote last by then', async (t) => {
  const to = stranger()
  await one.template(to)
  await hear(to, { id: 'wamid.again' })
  await other.template(to)
  await hear(to, { id: 'wamid.again' })
  t.same([await one.inbound(to), await other.inbound(to)], [['wamid.again'], []])
  t.equal(await conversations.lastInbound(db, { org_id: other.id, wa_id: to.slice(1) }), null)
})

t.test('the release before may run beside: its columns are there, and what it sent is answered', async (t) => {
  const to = stranger()
  const { body } = await one.template(to)
  await db.query(sql.typeAlias('void')`update whatsapp.messages set taken_at = null where id = ${body.id}`)
  await hear(to, { id: 'wamid.before' })
  t.same(await one.inbound(to), ['wamid.before'])
  await db.query(sql.unsafe`update whatsapp.contacts set paced_until = now() where wa_id = 'none'`)
  const { column_default } = await db.one(sql.type(z.object({ column_default: z.string() }))`
    select column_default from information_schema.columns
    where table_schema = 'account' and table_name = 'plans' and column_name = 'site_requests_per_minute'`)
  t.equal(column_default, '60000')
})

t.test('a stranger’s message is kept until an organisation is named for the number', async (t) => {
  const from = stranger()
  await hear(from, { id: 'wamid.first', ago: 60 })
  const listed = (await receivers.list(db)).find(({ phone_number_id }) => phone_number_id === phoneNumberId)
  t.match(listed, { org_id: null, kept: 1 })
  t.equal((await one.template(from)).status, 200)
  await hear(from, { id: 'wamid.first', ago: 60 })
  t.same(await one.inbound(from), [], 'told again, it is still nobody’s')
  const millrace = commandLine(stack.databaseUrl)
  const assign = `whatsapp assign ${named.id}`
  t.match(await millrace.run(assign), { code: 2, err: /--number/ })
  t.match(await millrace.ask(`${assign} --number ${phoneNumberId}`), { org_id: named.id, given: 1 })
  t.same(await named.inbound(from), ['wamid.first'])
  const later = stranger()
  await hear(later, { id: 'wamid.later' })
  t.same(await named.inbound(later), ['wamid.later'])
  await hear(from, { id: 'wamid.answer' })
  t.same(await one.inbound(from), ['wamid.answer'], 'who has been written to answers')
  t.match(await millrace.ask('whatsapp numbers'), [{ phone_number_id: phoneNumberId, org_id: named.id, kept: 0 }])
  await db.query(sql.typeAlias('void')`delete from whatsapp.receivers`)
})

t.test('naming an organisation while strangers write leaves none of their messages behind', async (t) => {
  const people = Array.from({ length: 20 }, stranger)
  const heard = people.map((from, i) => hear(from, { id: `wamid.race${i}` }))
  await Promise.race(heard)
  await db.transaction(async (tx) => {
    await receivers.assign(tx, phoneNumberId, named.id)
    await assignWaitingMessages(tx, phoneNumberId)
  })
  t.ok((await Promise.all(heard)).every(({ status }) => status === 200))
  const all = await Promise.all(people.map((from) => named.inbound(from)))
  t.same(all.flat().length, 20)
  await db.query(sql.typeAlias('void')`delete from whatsapp.receivers`)
})

t.test('what nobody claims is forgotten in its time', async (t) => {
  await hear(stranger(), { id: 'wamid.old' })
  await db.query(sql.typeAlias('void')`
    update whatsapp.unclaimed set created_at = now() - interval '31 days' where provider_message_id = 'wamid.old'`)
  await pruneArea(db, 'whatsapp')
  t.equal((await receivers.findUnclaimed(db, ['wamid.old'])).size, 0)
})

t.test('an organisation is told the times of its own conversations alone', async (t) => {
  const to = stranger()
  await one.template(to)
  await hear(to, { id: 'wamid.w1', ago: 3_600 })
  await other.template(to)
  const said = await other.say(to)
  t.match(said, { status: 200, body: { window: { open: true, expires_at: null } } }, 'it is the number’s window')
  t.match((await other.read(said.body.id)).window, { open: true, expires_at: null })
  const own = await one.say(to)
  t.match(own.body.window, { open: true, expires_at: String })
  t.ok(Math.abs(Date.parse(own.body.window.expires_at) - Date.now() - 23 * 3_600_000) < 60_000)
  await db.query(sql.typeAlias('void')`
    update whatsapp.contacts set last_inbound_at = now() - interval '30 hours' where wa_id = ${to.slice(1)}`)
  const closed = (await other.say(to)).body.error
  t.match(closed, { code: 'outside_service_window', details: { last_inbound_at: null } })
  t.equal((await other.template(to)).body.window, null)
  t.match((await one.say(to)).body.error.details, { last_inbound_at: String })
})

t.test('one organisation’s pace holds up no other’s messages to the same person', async (t) => {
  const to = stranger()
  await one.template(to)
  await db.query(sql.typeAlias('void')`
    update whatsapp.conversations set paced_until = now() + interval '1 hour' where org_id = ${one.id} and wa_id = ${to.slice(1)}`)
  t.equal((await one.template(to)).status, 429)
  t.match(await other.template(to), { status: 200, body: { status: 'accepted' } })
})

t.test('a bad message or status costs those beside it nothing', async (t) => {
  const [good, bad] = [stranger(), stranger()]
  const sent = await one.template(good)
  const message = (id: string, more: object = {}) => ({
    from: good.slice(1),
    id,
    timestamp: String(now()),
    type: 'text',
    text: { body: id },
    ...more,
  })
  const status = (more: object) => ({
    id: sent.body.provider_message_id,
    status: 'sent',
    timestamp: String(now()),
    ...more,
  })
  const body = change({
    messages: [
      message('wamid.huge', { timestamp: '999999999999' }),
      message('wamid.huger', { timestamp: 9_007_199_254_740_991 }),
      message('wamid.negative', { timestamp: -1 }),
      message('wamid.context', { context: { id: 7 } }),
      message('wamid.names', { from: bad.slice(1), text: { 'a\0b': 'c\0d', '\ud800': '\ud800' } }),
      message('wamid.good'),
    ],
    statuses: [
      status({ timestamp: '999999999999' }),
      status({ status: 'read', timestamp: 1e300 }),
      status({ status: 'delivered', errors: 'x', biz_opaque_callback_data: 7 }),
    ],
  })
  const mixed = { ...body, entry: [7, { changes: 'x' }, { changes: [7, { field: 7 }] }, ...body.entry] }
  t.equal((await webhook(mixed)).status, 200)
  t.same((await one.inbound(good)).sort(), ['wamid.context', 'wamid.good'])
  t.same([...(await receivers.findUnclaimed(db, ['wamid.names']))], ['wamid.names'])
  t.equal((await one.read(sent.body.id)).status, 'delivered')
  const lists = change({ messages: 'x', statuses: [status({ status: 'read' })] })
  t.equal((await webhook(lists)).status, 200)
  t.equal((await one.read(sent.body.id)).status, 'read')
})

t.test('what Postgres does not take is left out alone', async (t) => {
  const [good, bad] = [stranger(), stranger()]
  await one.template(good)
  await one.template(bad)
  await db.query(sql.typeAlias('void')`
    alter table whatsapp.messages
      add constraint refused check (content ->> 'body' <> 'bad' or (content ->> 'body')::integer > 0) not valid`)
  t.teardown(() => db.query(sql.typeAlias('void')`alter table whatsapp.messages drop constraint refused`))
  const message = (from: string, text: string) => ({
    from: from.slice(1),
    id: `wamid.${text}-alone`,
    timestamp: String(now()),
    type: 'text',
    text: { body: text },
  })
  t.equal((await webhook(change({ messages: [message(bad, 'bad'), message(good, 'fine')] }))).status, 200)
  await until(async () => (await one.inbound(good)).length === 1)
  t.same(await one.inbound(bad), [])
})

t.test('what is for a closed organisation is left out alone, and Meta does not send it again', async (t) => {
  const gone = await organisation()
  const [theirs, others] = [stranger(), stranger()]
  await gone.template(theirs)
  await one.template(others)
  await closures.request(db, { orgId: gone.id, kind: 'operator', name: 'op', days: 14 })
  const message = (from: string) => ({
    from: from.slice(1),
    id: `wamid.closed-${from}`,
    timestamp: String(now()),
    type: 'text',
    text: { body: 'Hi' },
  })
  t.equal((await webhook(change({ messages: [message(theirs), message(others)] }))).status, 200)
  t.same(await one.inbound(others), [`wamid.closed-${others}`])
  t.equal((await hear(theirs)).status, 200, 'nor alone')
})
