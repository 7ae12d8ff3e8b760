import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as faceChecks from '#sql/identity/face-checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import * as erasures from '#sql/people/erasures.ts'
import { findKeys } from '#sql/people/keys.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import { expandCampaign } from '#tasks/email/expand-campaign.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { erase } from '#tasks/people/erase.ts'
import { eraseRows } from '#tasks/people/rules/erase-person.ts'
import { personTables } from '#tasks/people/rules/tables.ts'
import { until } from '../support/until.ts'
import { erasureWorker, everywhere, mail, peopleStack, receiptOf, rowsOf, sms, whatsapp } from './people.ts'

const stack = await peopleStack(t)
const { db } = stack
const one = await stack.house()
const other = await stack.house()
const email = 'ann@rcpt.example'
const phone = '+3725550123'
const user = 'ann'
await erasureWorker(t, stack)

/** Every text of every table of an organisation in which a value stands. */
async function tablesWith(database: DatabasePool, value: string): Promise<string[]> {
  const names = await database.anyFirst(sql.type(z.object({ name: z.string() }))`
    select n.nspname || '.' || c.relname as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema)' order by 1`)
  const found: string[] = []
  for (const name of names) {
    const [schema = '', table = ''] = name.split('.')
    const hit = await database.exists(sql.typeAlias('count')`
      select 1 as count from ${sql.identifier([schema, table])} as r where position(${value} in r::text) > 0 limit 1`)
    if (hit) found.push(name)
  }
  return found
}

t.test('a person who only started a face check is known, and is erased', async (t) => {
  const about = { org_id: one.orgId, subject: 'started', requirement: 'identity.face' }
  await db.transaction(async (tx) => {
    const expires_at = new Date(Date.now() + 60_000)
    const { id } = await prompts.insert(tx, { ...about, return_to: null, expires_at })
    await faceChecks.start(tx, { ...about, id, expires_at })
  })
  const asked = await one.ask('POST /v1/people/started/erase', { reason: 'request of the person' })
  t.equal(asked.status, 202, asked.text)
  const receipt = await receiptOf(one, asked.body.id)
  t.same(
    ['identity.prompts', 'identity.face_checks'].map((name) => rowsOf(receipt, name)),
    [1, 1],
  )
  t.equal((await other.ask('POST /v1/people/started/erase', { reason: 'request of the person' })).status, 404)
})

t.test('an erasure deletes the person from every table, and its receipt has each', async (t) => {
  await everywhere(db, one, user, { email, phone })
  await everywhere(db, other, user, { email, phone })
  const asked = await one.ask(`POST /v1/people/${user}/erase`, { reason: 'request of the person' })
  t.equal(asked.status, 202)
  t.match(asked.body, { user_id: user, reason: 'request of the person', finished_at: null })
  const receipt = await receiptOf(one, asked.body.id)
  const named = new Set(receipt.tables.map(({ name, action }: { name: string; action: string }) => `${name} ${action}`))
  for (const { name, action } of personTables) t.ok(named.has(`${name} ${action}`), `${name} ${action}`)
  t.equal(await countOf('email.engagements', one.orgId), 0, 'opens are deleted with their message')
  t.equal(await countOf('email.engagements', other.orgId), 1)
  t.equal(await countOf('notify.broadcast_people', one.orgId), 1, 'the other person of the broadcast stays')
  const counts = {
    'email.contacts': 1,
    'email.contact_events': 1,
    'email.messages': 1,
    'email.received': 1,
    'notify.people': 1,
    'notify.preferences': 1,
    'notify.events': 1,
    'notify.inbox': 1,
    'push.users': 1,
    'push.installations': 1,
    'push.messages': 1,
    'whatsapp.messages': 1,
    'bots.conversations': 1,
    'sms.messages': 1,
    'verify.verifications': 1,
    'email.sign_ups': 1,
    'email.import_rows': 2,
    'notify.topic_people': 1,
    'notify.broadcast_people': 1,
    'notify.chat_messages': 1,
    'notify.throttles': 1,
  }
  for (const [name, rows] of Object.entries(counts)) t.equal(rowsOf(receipt, name), rows, name)
  t.equal(rowsOf(receipt, 'voice.legs', 'anonymised'), 1)
  t.equal(rowsOf(receipt, 'email.erased_addresses', 'kept'), 1)
  t.match(receipt.tables.find(({ action }: { action: string }) => action === 'kept').reason, /Hash/)
  t.match(receipt.objects, { count: 1, left: 0 })
  t.ok(receipt.objects.deleted_at)
  t.equal((await one.ask(`GET /v1/people/${user}`)).status, 404)
  t.equal((await other.ask(`GET /v1/people/${user}`)).body.contacts.length, 1, 'another organisation keeps its person')
  t.equal((await other.ask(`GET /v1/people/erasures/${asked.body.id}`)).status, 404)
  t.match((await one.ask('GET /v1/people/erasures?status=done')).body.data, [{ id: asked.body.id }])
  t.same((await other.ask('GET /v1/people/erasures')).body.data, [])
  t.equal((await one.ask(`POST /v1/people/${user}/erase`, {})).status, 404, 'nothing is left to erase')
  const audit = await one.ask('GET /v1/account/audit?action=person.erasure_requested')
  t.match(audit.body.data, [{ target: asked.body.id }])
})

async function countOf(name: string, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) as count from ${sql.identifier(name.split('.'))} where org_id = ${orgId}`)
}

t.test('an opt-out from SMS outlives the erasure, without the number', async (t) => {
  const house = await stack.house()
  const number = '+3725557001'
  await house.ask('PUT /v1/notify/people/left', { phone: number })
  await house.ask('POST /v1/sms/opt-outs', { phone: number })
  await sms(db, house, number, 'failed')
  const receipt = await receiptOf(house, (await house.ask('POST /v1/people/left/erase', {})).body.id)
  t.equal(rowsOf(receipt, 'sms.opt_outs', 'kept'), 1)
  t.equal(rowsOf(receipt, 'sms.messages'), 1)
  t.same(
    (await tablesWith(db, number)).filter((name) => name.startsWith('sms.')),
    [],
  )
  t.match((await house.ask('GET /v1/sms/opt-outs')).body.data, [{ phone: null, from: null, source: 'api' }])
  const wanted = { org_id: house.orgId, phone: number, sender: null }
  t.ok((await optOuts.findMany(db, [wanted]))(wanted), 'the opt-out applies to later messages')
  await house.ask('PUT /v1/notify/people/again', { phone: number })
  await house.ask('POST /v1/sms/opt-outs', { phone: number })
  const second = await receiptOf(house, (await house.ask('POST /v1/people/again/erase', {})).body.id)
  t.equal(rowsOf(second, 'sms.opt_outs', 'kept'), 0, 'the same number is kept once')
  t.equal((await house.ask('GET /v1/sms/opt-outs')).body.data.length, 1)
  await db.transaction((tx) => optOuts.lift(tx, { ...wanted, sender: '' }))
  t.notOk((await optOuts.findMany(db, [wanted]))(wanted), 'START ends it')
})

t.test('an erasure waits for a text message that is being sent', async (t) => {
  const house = await stack.house()
  await house.ask('PUT /v1/notify/people/busy', { phone: '+3725557002' })
  const id = await sms(db, house, '+3725557002', 'sending')
  const erasure = await requested(house, 'busy')
  const tools = { db, signal: new AbortController().signal }
  await t.rejects(eraseRows(erasure, tools), { name: 'Later' })
  await db.query(sql.typeAlias('void')`update sms.messages set status = 'sent' where id = ${id}`)
  await eraseRows(erasure, tools)
  t.equal(await countOf('sms.messages', house.orgId), 0)
})

t.test('no table keeps the address, the number or the name of an erased person', async (t) => {
  const house = await stack.house()
  const mark = { email: 'unique.mark@rcpt.example', phone: '+3725551234' }
  await everywhere(db, house, 'unique-mark-user', mark)
  const before = await tablesWith(db, mark.email)
  t.ok(before.length >= 4, before.join(' '))
  const asked = await house.ask('POST /v1/people/unique-mark-user/erase', {})
  await receiptOf(house, asked.body.id)
  const logs = (found: string[]) => found.filter((name) => !/^(account\.request|account\.idempotency|jobs)/.test(name))
  t.same(logs(await tablesWith(db, mark.email)), [])
  t.same(logs(await tablesWith(db, mark.phone)), [])
  t.same(logs(await tablesWith(db, 'unique-mark-user')), ['people.erasures'])
})

t.test('an erased person is not mailed by a campaign that is being sent', async (t) => {
  const house = await stack.house()
  for (const n of [1, 2, 3])
    await house.ask('POST /send/v1/contacts', { email: `c${n}@rcpt.example`, user_id: `c${n}` })
  const body = {
    name: 'News',
    subject: 'Dear {{contact.name}}',
    html: '<p>News</p>',
    from_email: `shop@${house.domain}`,
  }
  const campaign = (await house.ask('POST /send/v1/campaigns', body)).body.id
  t.equal((await house.ask(`POST /send/v1/campaigns/${campaign}/send`, {})).status, 202)
  const tools = { db, signal: new AbortController().signal } as unknown as Parameters<typeof expandCampaign.run>[1]
  await house.ask('POST /v1/people/c1/erase', {})
  const second = await house.ask('POST /v1/people/c2/erase', {})
  await expandCampaign.run({ campaignId: campaign }, tools)
  await receiptOf(house, second.body.id)
  await until(async () => (await house.ask('GET /v1/people/erasures?status=done')).body.data.length === 2)
  const left = await db.any(sql.type(z.object({ to_email: z.string(), status: z.string() }))`
    select to_email, status from email.messages where campaign_id = ${campaign} and status = 'queued'`)
  t.same(left, [{ to_email: 'c3@rcpt.example', status: 'queued' }])
  const waiting = await db.oneFirst(sql.typeAlias('count')`
    select count(*) as count from email.deliveries where org_id = ${house.orgId}`)
  t.equal(waiting, 1)
})

t.test('an import does not add an erased person, and an unsubscription outlives the erasure', async (t) => {
  const house = await stack.house()
  const [kept, left] = ['kept@rcpt.example', 'left@rcpt.example']
  await house.ask('POST /send/v1/contacts', { email: kept, user_id: 'kept' })
  await house.ask('POST /send/v1/contacts', { email: left, user_id: 'left' })
  await house.ask(`POST /send/v1/contacts/${left}/unsubscribe`, {})
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${house.orgId}, ${kept}, 'bounce')`)
  for (const id of ['kept', 'left']) {
    await receiptOf(house, (await house.ask(`POST /v1/people/${id}/erase`, {})).body.id)
  }
  const imported = await house.ask('POST /send/v1/contacts/import', { contacts: [{ email: kept }, { email: left }] })
  t.match(imported.body, { imported: 0 })
  t.same((await house.ask('GET /send/v1/contacts')).body.data, [])
  const again = await house.ask('POST /send/v1/contacts', { email: left })
  t.equal(again.status, 409)
  t.equal(again.body.error.code, 'contact_unsubscribed')
  t.equal((await house.ask('POST /send/v1/contacts', { email: kept })).status, 201, 'a new consent is possible')
  t.match((await mail(house, kept)).body, { status: 'suppressed' })
})

t.test('a stopped erasure continues, and each row is counted once', async (t) => {
  const house = await stack.house()
  const address = 'many@rcpt.example'
  await house.ask('PUT /v1/notify/people/many', { email: address, phone: '+3725550444' })
  await mail(house, address)
  await db.query(sql.typeAlias('void')`
    insert into email.messages (id, org_id, stream, domain_id, from_email, to_email, subject, content_id, message_id, status)
    select ('0198f1c2-7f00-7000-8000-' || lpad(n::text, 12, '0'))::uuid, org_id, stream, domain_id, from_email, to_email,
      subject, content_id, message_id, 'sent'
    from email.messages cross join generate_series(1, 1400) as n where org_id = ${house.orgId}`)
  for (let n = 0; n < 3; n++) await whatsapp(db, house, '+3725550444')
  const id = await requested(house, 'many')
  // The worker is gone after each of the first transactions, wherever that is.
  for (let stops = 1; ; stops++) {
    const controller = new AbortController()
    let left = stops
    const signal = new Proxy(controller.signal, {
      get: (target, name) => (name === 'throwIfAborted' ? () => stopAt() : Reflect.get(target, name, target)),
    })
    const stopAt = () => {
      if (left-- === 0) throw new Error('the worker is gone')
    }
    const ended = await eraseRows(id, { db, signal }).then(
      () => true,
      () => false,
    )
    if (ended) break
    if (stops > 200) return t.fail('the erasure does not come to an end')
  }
  const tools = { db, storage: stack.storage, signal: new AbortController().signal }
  await erase.run({ erasureId: id }, tools as unknown as Parameters<typeof erase.run>[1])
  const receipt = await receiptOf(house, id)
  t.equal(rowsOf(receipt, 'email.messages'), 1401)
  t.equal(rowsOf(receipt, 'whatsapp.messages'), 3)
  t.equal(await db.transaction((tx) => erasures.lockOpen(tx, id)), null)
  await erase.run({ erasureId: id }, tools as unknown as Parameters<typeof erase.run>[1])
  t.same(await receiptOf(house, id), receipt, 'another run changes nothing')
})

/** Requests an erasure whose job no worker has: the tests run it themselves. */
async function requested(house: typeof one, userId: string): Promise<string> {
  const keys = { org_id: house.orgId, user_id: userId, person_id: getPersonId(userId) }
  return await db.transaction(async (tx) => {
    const found = await findKeys(tx, keys)
    return (await erasures.add(tx, { keys: found, reason: null, requestedBy: 'test' })).erasure.id
  })
}

t.test('rows of an import that wait or are invalid are erased too', async (t) => {
  const house = await stack.house()
  await house.ask('POST /send/v1/contacts', { email: 'row@rcpt.example', user_id: 'row' })
  const rows = [
    { email: ' Row@rcpt.example ', source: 'a', given_at: 'yesterday' },
    { email: 'stays@rcpt.example', source: 'a', given_at: 'yesterday' },
  ]
  const imported = await house.ask('POST /send/v1/consents/import', { rows })
  t.equal(imported.status, 202)
  await receiptOf(house, (await house.ask('POST /v1/people/row/erase', {})).body.id)
  const left = await db.anyFirst(sql.type(z.object({ email: z.string() }))`
    select fields ->> 'email' as email from email.import_rows where org_id = ${house.orgId}`)
  t.same(left, ['stays@rcpt.example'])
})

t.test('an erasure whose rows keep coming back continues later, and then fails with the reason', async (t) => {
  const house = await stack.house()
  const [address, form] = ['back@rcpt.example', newId()]
  await house.ask('POST /send/v1/contacts', { email: address, user_id: 'back' })
  await db.query(sql.typeAlias('void')`
    insert into email.forms (id, org_id, sandbox, name, title, consent_text, text_version, from_email, subject)
    values (${form}, ${house.orgId}, false, 'News', 'News', 'Yes', '1', 'a@b.example', 'Confirm')`)
  const signUp = () =>
    db.query(sql.typeAlias('void')`
      insert into email.sign_ups (id, org_id, form_id, email, source, title, consent_text, text_version, ip, network)
      values (${newId()}, ${house.orgId}, ${form}, ${address}, 'form', 'News', 'Yes', '1', '192.0.2.1', '192.0.2.0/24')`)
  await signUp()
  await db.query(sql.unsafe`
    create function email.sign_up_again() returns trigger language plpgsql as $$ begin
      if old.email = 'back@rcpt.example' then
        old.id := gen_random_uuid();
        insert into email.sign_ups select old.*;
      end if;
      return null;
    end $$`)
  await db.query(sql.unsafe`
    create trigger again after delete on email.sign_ups for each row execute function email.sign_up_again()`)
  const id = await requested(house, 'back')
  const tools = { db, storage: stack.storage, signal: new AbortController().signal } as unknown
  const run = () => erase.run({ erasureId: id }, tools as Parameters<typeof erase.run>[1])
  const read = async () => (await house.ask(`GET /v1/people/erasures/${id}`)).body
  await t.rejects(run(), { name: 'Later' })
  t.match(await read(), { status: 'running', finished_at: null })
  await db.query(sql.typeAlias('void')`update people.erasures set passes = 98 where id = ${id}`)
  const refused = await run().then(
    () => undefined,
    (error: Error) => error,
  )
  t.match(refused, { name: 'Rejected' })
  await erase.giveUp?.({ erasureId: id }, refused as Error, { db, runId: undefined })
  t.match(await read(), { status: 'failed', error: /keep being added/, finished_at: null })
  await db.query(sql.unsafe`drop trigger again on email.sign_ups`)
  const { body } = await house.ask('POST /v1/people/back/erase', {})
  t.not(body.id, id)
  t.equal(rowsOf(await receiptOf(house, body.id), 'email.sign_ups'), 1, 'the next erasure knows the address')
  t.same(await tablesWith(db, address).then((all) => all.filter((name) => name.startsWith('people.'))), [])
})
