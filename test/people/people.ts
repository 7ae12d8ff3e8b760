import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { sql } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import { erase } from '#tasks/people/erase.ts'
import type { Tools } from '#tasks/pools.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { verified } from '../email/sending.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { testStore } from '../support/video-stack.ts'
import { inLists } from './lists.ts'

const secret = 'a signing secret of the tests alone'

export const scopes = [
  ...['people:read', 'people:write', 'email:send', 'email:manage', 'notify:read', 'notify:write', 'push:manage'],
  ...['push:send', 'whatsapp:send', 'whatsapp:read', 'bots:write', 'identity:read', 'account:audit'],
  ...['sms:manage', 'sms:read', 'verify:read'],
]

/** An organisation with people in several areas. */
export interface House {
  orgId: string
  domain: string
  ask(request: string, body?: unknown, key?: string): Promise<Reply>
  keys: Record<'main' | 'reader' | 'locked' | 'test' | 'stranger', string>
}

export interface PeopleStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  storage: Tools['core']['storage']
  house(): Promise<House>
}

/** The API of all areas that know people, on a database of its own. */
export async function peopleStack(t: TestScope): Promise<PeopleStack> {
  const { db, url: databaseUrl } = await testDatabase(t)
  const { storage } = await testStore(t)
  const only = ['people', 'email', 'notify', 'push', 'whatsapp', 'bots', 'identity', 'sms', 'verify', 'account']
  const ingress = await testIngress(t, db, [], { only, services: [provide(signingSecret, secret)] })
  let made = 0
  return {
    db,
    databaseUrl,
    ingress,
    storage,
    async house() {
      const domain = `people${++made}.example`
      const prefix = 'bt_live_' as const
      const { org, keys } = await testOrg(db, [], {
        keys: {
          main: { prefix, scopes },
          reader: { prefix, scopes: ['people:read'] },
          locked: { prefix, scopes: [...scopes], locks: { from_domains: [domain] } },
          test: { prefix: 'snd_test_', scopes },
          stranger: { prefix, scopes: ['email:manage'] },
        },
      })
      await verified(db, org.id, domain)
      return {
        orgId: org.id,
        domain,
        keys,
        ask: (request, body, key = keys.main) => ingress.ask(request, { key, ...(body !== undefined && { body }) }),
      }
    },
  }
}

/** Starts a worker that erases people; it ends with the test. */
export async function erasureWorker(t: Scope, { databaseUrl, storage }: PeopleStack) {
  const plan = {
    pool: 'core' as const,
    settings: { concurrency: 2, fetchAhead: 0 },
    tasks: [erase],
    tools: { storage } as Tools['core'],
  }
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(() => fleet.stop())
  return fleet
}

/** Waits for the end of an erasure and returns its receipt. */
export const receiptOf = async ({ ask }: House, id: string): Promise<Reply['body']> =>
  await until(async () => {
    const { body } = await ask(`GET /v1/people/erasures/${id}`)
    return body.status === 'done' ? body : false
  })

export const rowsOf = (receipt: Reply['body'], name: string, action = 'deleted'): number | undefined =>
  receipt.tables.find((one: { name: string; action: string }) => one.name === name && one.action === action)?.rows

/** Sends a transactional email. */
export const mail = ({ ask, domain }: House, to: string, subject = 'Hello') =>
  ask('POST /send/v1/messages', { stream: 'transactional', from: { email: `shop@${domain}` }, to, subject, text: 'Hi' })

/** A WhatsApp message as the worker or the webhook stores it. */
export async function whatsapp(
  db: DatabasePool,
  { orgId }: House,
  phone: string,
  direction: 'inbound' | 'outbound' = 'inbound',
): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into whatsapp.messages (id, org_id, direction, phone, wa_id, type, content, status)
    values (${id}, ${orgId}, ${direction}, ${phone}, ${phone.slice(1)}, 'text', '{"body": "Hallo"}',
      ${direction === 'inbound' ? 'received' : 'accepted'})`)
  if (direction === 'inbound') {
    await db.query(sql.typeAlias('void')`
      insert into whatsapp.conversations (org_id, wa_id, last_inbound_at) values (${orgId}, ${phone.slice(1)}, now())
      on conflict (org_id, wa_id) do update set last_inbound_at = now()`)
  }
  return id
}

/** A received email. */
export async function received(db: DatabasePool, { orgId, domain }: House, from: string): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into email.received (id, org_id, route_id, status, recipient, sender, remote_address, remote_network, helo, bytes,
      from_email, subject)
    values (${id}, ${orgId}, ${newId()}, 'told', ${`help@${domain}`}, ${from}, '192.0.2.1', '192.0.2.0/24', 'mx.example', 10,
      ${from}, 'Question')`)
  return id
}

/** An ended call between two numbers. */
export async function call(db: DatabasePool, { orgId }: House, a: string, b: string): Promise<string> {
  const id = newId()
  const facts = { id, org_id: orgId, key_id: null, caller_id: '+3726000000', ring_timeout_seconds: 30 }
  await calls.insert(db, { ...facts, max_duration_seconds: 60, metadata: { name: 'Ann' } }, { a, b })
  await db.query(sql.typeAlias('void')`
    update voice.calls set status = 'canceled', ended_at = now() where id = ${id}`)
  return id
}

/** A conversation of a person with a bot. */
export async function conversation(db: DatabasePool, house: House, userId: string): Promise<string> {
  const bot = await house.ask('POST /v1/bots', {
    name: 'Helper',
    slug: `helper-${newId().slice(-12)}`,
    system_prompt: 'Help.',
  })
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into bots.conversations (id, org_id, bot_id, bot_version, user_id, last_seq)
    values (${id}, ${house.orgId}, ${bot.body.id}, 1, ${userId}, 1)`)
  await db.query(sql.typeAlias('void')`
    insert into bots.messages (id, org_id, bot_id, conversation_id, seq, role, content, status, ended_at)
    values (${newId()}, ${house.orgId}, ${bot.body.id}, ${id}, 1, 'user', 'Where is my order?', 'completed', now())`)
  return id
}

/** A text message as the worker or a callback stores it. */
export async function sms(db: DatabasePool, { orgId }: House, phone: string, status = 'received'): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into sms.messages (id, org_id, direction, phone, sender, text, encoding, segments, status)
    values (${id}, ${orgId}, ${status === 'received' ? 'inbound' : 'outbound'}, ${phone}, '+3726000000', 'Hallo', 'gsm7', 1,
      ${status})`)
  return id
}

/** A verification whose code was checked. */
export async function verification(
  db: DatabasePool,
  { orgId }: House,
  { to, user, status = 'approved' }: { to: string; user?: string; status?: string },
): Promise<string> {
  const id = newId()
  const channel = to.startsWith('+') ? 'sms' : 'email'
  await db.query(sql.typeAlias('void')`
    insert into verify.verifications (id, org_id, sandbox, channel, channels, recipient, user_id, code_length, ttl, max_attempts,
      max_sends, resend_after_seconds, status, expires_at, resend_at)
    values (${id}, ${orgId}, false, ${channel}, array[${channel}], ${to}, ${user ?? null}, 6, 600, 5, 4, 30, ${status},
      now() + interval '10 minutes', now())`)
  return id
}

/** A person with rows in every area. */
export async function everywhere(
  db: DatabasePool,
  house: House,
  user: string,
  { email, phone }: { email: string; phone: string },
): Promise<{ appId: string; deviceId: string }> {
  const { ask } = house
  const path = encodeURIComponent(user)
  const appId = (await ask('POST /push/v1/apps', { name: 'Shop' })).body.id
  const directory = { name: 'Ann', email, phone, push: { app_id: appId }, locale: 'de-AT' }
  await ask(`PUT /v1/notify/people/${path}`, directory)
  await ask('POST /send/v1/contacts', { email, user_id: user, name: 'Ann', tags: ['customer'] })
  const device = { app_id: appId, user_id: user, push_provider: 'sse', device_id: `phone of ${user}` }
  const deviceId = (await ask('POST /push/v1/installations', device)).body.id
  await ask('PUT /v1/notify/preferences', { user_id: user, product_key: 'shop', type: '*', channels: ['in_app'] })
  await ask('POST /v1/notify/events', {
    ...{ product_key: 'shop', type: 'order.shipped', subject_user_id: user, title: 'On its way' },
  })
  await ask('POST /push/v1/messages', { app_id: appId, target: { type: 'user', id: user }, title: 'Hi', body: 'There' })
  const sent = await mail(house, email)
  await inLists(db, house, user, { email, messageId: sent.body.id })
  await sms(db, house, phone)
  await verification(db, house, { to: phone, user })
  await whatsapp(db, house, phone)
  await received(db, house, email)
  await call(db, house, phone, '+3725550999')
  await conversation(db, house, user)
  return { appId, deviceId }
}
