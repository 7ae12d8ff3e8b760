import '../support/forms-environment.ts'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { areas } from '../../ingress/areas.ts'
import type { Operation } from '../../ingress/http/area.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { ai } from '../support/owned/ai.ts'
import { automation } from '../support/owned/automation.ts'
import { bots } from '../support/owned/bots.ts'
import { directory } from '../support/owned/directory.ts'
import { guard } from '../support/owned/guard.ts'
import { hooks } from '../support/owned/hooks.ts'
import { identity } from '../support/owned/identity.ts'
import { intake } from '../support/owned/intake.ts'
import { jobs } from '../support/owned/jobs.ts'
import { moving } from '../support/owned/moving.ts'
import { notify } from '../support/owned/notify.ts'
import { people } from '../support/owned/people.ts'
import { sms } from '../support/owned/sms.ts'
import { trust } from '../support/owned/trust.ts'
import { verify } from '../support/owned/verify.ts'
import { voice } from '../support/owned/voice.ts'
import { whatsapp } from '../support/owned/whatsapp.ts'
import { wiki } from '../support/owned/wiki.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { ask } = await testIngress(t, db, [], { services: [provide(signingSecret, 's'.repeat(32))] })

/** Areas whose tests try other organisations’ keys on each route. */
const elsewhere = new Set(['video', 'live', 'rooms', 'files', 'console', 'account', 'service'])
/** Areas with public data for every key with the scope. */
const nobodys = new Set(['erp', 'geo'])

const operations = areas
  .filter(({ name }) => !elsewhere.has(name) && !nobodys.has(name))
  .flatMap(({ operations }) => operations)
/** Operations on objects of the area files. `ai/stores-faults` tries other organisations’ keys. */
const onFiles = /^ai\.files\./
const withNames = operations.filter(({ id, path, route }) => path.includes('{') && !route.public && !onFiles.test(id))
const scopes = [...new Set(operations.flatMap(({ route }) => route.scope ?? []))]
const [owner, stranger] = await Promise.all([testOrg(db, scopes), testOrg(db, scopes)])

const make = async (request: string, body: unknown, id = 'id') => {
  const reply = await ask(request, { key: owner.keys.main, body })
  if (reply.status > 299) throw new Error(`${request}: ${reply.status} ${reply.text}`)
  return reply.body[id] as string
}
const once = (work: () => Promise<string>) => {
  let made: Promise<string> | undefined
  return () => {
    made ??= work()
    return made
  }
}
const userId = randomUUID()
const html = { name: 'a', subject: 'b', html: '<p>c' }
const endpoint = { url: 'https://hooks.example.com/x', events: ['*'] }
const domain = once(async () => {
  await db.query(sql.typeAlias('void')`
    insert into email.domains (id, org_id, domain, return_path, status, verified_by, verified_at)
    values (${newId()}, ${owner.org.id}, 'sender.example', 'bounce.sender.example', 'verified', 'operator', now())`)
  return 'sender.example'
})
const event = { product_key: 'crm', type: 'a.b', subject_user_id: userId, title: 'A title' }
const app = once(() => make('POST /push/v1/apps', { name: 'app' }))
const pushMessage = async () => ({ app_id: await app(), target: { type: 'user', id: 'u' }, title: 'a', body: 'b' })

const inAreas = [
  ai,
  automation,
  bots,
  directory,
  guard,
  hooks,
  identity,
  intake,
  jobs,
  moving,
  notify,
  people,
  sms,
  trust,
  verify,
  voice,
  whatsapp,
  wiki,
].map((owned) => owned({ make, db, owner }))

const owned: Record<string, () => Promise<string>> = {
  '/send/v1/domains': domain,
  '/send/v1/contacts': once(() =>
    make('POST /send/v1/contacts', { email: 'ann@rcpt.example', consent_source: 'api' }, 'email'),
  ),
  '/send/v1/messages': once(async () => {
    const from = { email: `a@${await domain()}` }
    return await make('POST /send/v1/messages', {
      stream: 'transactional',
      from,
      to: 'ann@rcpt.example',
      subject: 'a',
      text: 'b',
    })
  }),
  '/send/v1/inbound-routes': once(async () => make('POST /send/v1/inbound-routes', { address: `a@${await domain()}` })),
  '/send/v1/received': once(async () => {
    const id = newId()
    await db.query(sql.typeAlias('void')`
      insert into email.received (id, org_id, route_id, status, recipient, sender, remote_address, remote_network, helo, bytes)
      values (${id}, ${owner.org.id}, ${id}, 'told', 'a@sender.example', '', '192.0.2.1', '192.0.2.0/24', 'x', 1)`)
    return id
  }),
  '/send/v1/templates': once(async () => {
    const id = await make('POST /send/v1/templates', html)
    await ask(`PATCH /send/v1/templates/${id}/draft`, { key: owner.keys.main, body: { name: 'b' } })
    return id
  }),
  '/send/v1/campaigns': once(async () =>
    make('POST /send/v1/campaigns', { ...html, from_email: `a@${await domain()}` }),
  ),
  '/send/v1/segments': once(() =>
    make('POST /send/v1/segments', { name: 'a', conditions: [{ field: 'tag', op: 'has', value: 'b' }] }),
  ),
  '/send/v1/suppressions': once(() => make('POST /send/v1/suppressions', { email: 'gone@rcpt.example' }, 'email')),
  '/send/v1/topics': once(() => make('POST /send/v1/topics', { key: 'news', name: 'a' }, 'key')),
  '/send/v1/forms': once(async () =>
    make('POST /send/v1/forms', { name: 'a', title: 'b', consent_text: 'c', from_email: `a@${await domain()}` }),
  ),
  '/send/v1/imports': once(() =>
    make('POST /send/v1/suppressions/import', { rows: [{ email: 'listed@rcpt.example' }] }),
  ),
  '/send/v1/webhooks': once(() => make('POST /send/v1/webhooks', endpoint)),
  '/v1/notify/events': once(() => make('POST /v1/notify/events', event)),
  '/v1/notify/inbox': once(async () => {
    await make('POST /v1/notify/events', event)
    const inbox = await ask(`GET /v1/notify/inbox?user_id=${userId}`, { key: owner.keys.main })
    return inbox.body.data[0].id
  }),
  '/push/v1/apps': app,
  '/push/v1/messages': once(async () => make('POST /push/v1/messages', await pushMessage())),
  '/push/v1/installations': once(async () =>
    make('POST /push/v1/installations', { app_id: await app(), user_id: 'u', push_provider: 'sse' }),
  ),
  '/push/v1/templates': once(() =>
    make('POST /push/v1/templates', { name: 'a', default_locale: 'en', locales: { en: { title: 'a', body: 'b' } } }),
  ),
  '/push/v1/webhooks': once(() => make('POST /push/v1/webhooks', endpoint)),
  ...Object.assign({}, ...inAreas.map(({ made }) => made)),
}

const bodies: Record<string, unknown> = {
  'email.domains.update': { track_opens: true },
  'email.templates.update': { name: 'b' },
  'email.template-drafts.update': { name: 'b' },
  'email.campaigns.test': { to: ['ann@rcpt.example'] },
  'email.campaigns.update': { name: 'b' },
  'email.campaigns.schedule': { send_at: new Date().toISOString() },
  'email.contacts.update': { name: 'b' },
  'email.segments.update': { name: 'b' },
  'email.topics.update': { name: 'b' },
  'email.forms.update': { name: 'b' },
  'email.webhook-deliveries.replaySince': { since: new Date(0).toISOString() },
  'push.webhook-deliveries.replaySince': { since: new Date(0).toISOString() },
  'notify.inbox.read': { user_id: userId },
  'push.apps.update': { name: 'b' },
  'push.templates.update': { name: 'b' },
  'push.installations.claim': { user_id: 'u' },
  'push.topics.subscribe': { user_ids: ['u'] },
  'push.topics.unsubscribe': { user_ids: ['u'] },
  'push.public-keys.create': { name: 'a', origins: ['https://a.example'] },
  'push.public-keys.update': { origins: ['https://a.example'] },
  ...Object.assign({}, ...inAreas.map(({ bodies }) => bodies)),
}

/** Using an email address creates the caller’s own contact. Public data belongs to everyone. */
const anyonesOwn = new Set([
  'email.contacts.unsubscribe',
  'email.contact-topics.set',
  ...inAreas.flatMap(({ anyones = [] }) => anyones),
])

/** Returns the request for the owner’s object. */
async function requestTo({ id, path, route }: Operation) {
  const [collection = ''] = path.split('/{')
  const made = owned[collection]
  if (!made) throw new Error(`${id}: this test makes nothing under ${collection}`)
  const names = path
    .replace(/\{\w+\}/, await made())
    .replace('{provider}', 'webpush')
    .replace('{number}', '1')
  const body = bodies[id] ?? (route.method === 'GET' || route.method === 'DELETE' ? undefined : {})
  // For nested objects, the parent is the owner’s.
  const within = path.split('/{').length > 2 ? owned[path.slice(0, path.lastIndexOf('/{'))] : undefined
  return {
    request: `${route.method} ${names.replace(/\{\w+\}/, (await within?.()) ?? newId()).replaceAll(/\{\w+\}/g, newId())}`,
    body,
  }
}

t.test('what another organisation has is answered 404 on every operation, like what nobody has', async (t) => {
  t.ok(withNames.length > 40)
  for (const operation of withNames) {
    if (anyonesOwn.has(operation.id)) continue
    const { request, body } = await requestTo(operation)
    const reply = await ask(request, { key: stranger.keys.main, ...(body !== undefined && { body }) })
    t.match(reply, { status: 404, body: { error: { code: 'not_found' } } }, `${operation.id}: ${reply.text}`)
  }
})

t.test('and its owner finds it still', async (t) => {
  // Data of a page’s visitor belongs to the visitor, not to the key.
  for (const operation of withNames.filter(({ route }) => route.method === 'GET' && !route.site)) {
    const { request } = await requestTo(operation)
    const reply = await ask(request, { key: owner.keys.main })
    t.equal(reply.status, 200, `${operation.id}: ${reply.text}`)
  }
})
