import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as calls from '#sql/voice/calls.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import { allTypes, eventKinds, eventTypes, getEventArea, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { recordInbound } from '#tasks/whatsapp/rules/inbound.ts'
import { recordStatuses } from '#tasks/whatsapp/rules/record-statuses.ts'
import { areas } from '../../ingress/areas.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { testDatabase } from '../support/database.ts'
import { emittedTo } from '../support/emitted.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

t.test('the sample of every type is as its schema says, and JSON keeps it', async (t) => {
  for (const type of allTypes) {
    const { data, sample, summary } = eventKinds[type]
    t.same(data.parse(JSON.parse(JSON.stringify(sample))), sample, type)
    t.match(summary, /^[A-Z].*[.]$/, type)
    t.throws(() => data.parse({ ...sample, unheard_of: 1 }), type)
  }
})

t.test('the types of an area are those of its prefix; groups are made of whole names', async (t) => {
  for (const [area, { prefix, types }] of Object.entries(eventTypes)) {
    t.same(
      types.toSorted(),
      allTypes.filter((type) => type.startsWith(prefix)),
      area,
    )
    for (const type of types) t.equal(getEventArea(type), area)
  }
  for (const type of ['voice.call.ended', 'video.asset.ready', 'files.object.clean']) t.equal(getEventArea(type), null)
  for (const one of ['*', 'email.*', 'video.room.*', 'video.room.participant.*', 'account.*'])
    t.ok(typePatterns.has(one), one)
  for (const one of ['em*', 'email.bounced.*', '*.*', '.*', '']) t.notOk(typePatterns.has(one), one)
})

t.test('the document tells what is posted for every type', async (t) => {
  const document = createOpenapi(areas) as { webhooks: Record<string, unknown>; components: { schemas: object } }
  t.same(Object.keys(document.webhooks), allTypes)
  t.match(document.webhooks['email.bounced'], {
    post: {
      requestBody: {
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/events.EmailBounced' },
            example: { type: 'email.bounced', data: { status: 'bounced' } },
          },
        },
      },
    },
  })
  t.match(document.components.schemas, {
    'events.EmailBounced': {
      properties: { type: { const: 'email.bounced' } },
      required: ['type', 'timestamp', 'data'],
    },
  })
})

const { db } = await testDatabase(t)
const { ask } = await testIngress(t, db, [], { only: ['guard', 'trust', 'notify', 'identity', 'voice'] })
const scopes = ['guard:manage', 'trust:write', 'notify:write', 'identity:verify', 'voice:call']

/** An organisation, what it asks, and the types it has been told of since. */
async function scene() {
  const { org, keys } = await testOrg(db, scopes)
  return {
    orgId: org.id,
    ask: (request: string, body?: unknown) => ask(request, { key: keys.main as string, body }),
    types: () => emittedTo(org.id).map(({ type }) => type),
  }
}

t.test('guard tells of its sites, trust of its listings', async (t) => {
  const { ask, types } = await scene()
  const { id } = (await ask('POST /v1/guard/sites', { name: 'Shop', origins: [] })).body
  await ask(`PATCH /v1/guard/sites/${id}`, { name: 'Shops' })
  await ask(`POST /v1/guard/sites/${id}/rotate`)
  await ask(`DELETE /v1/guard/sites/${id}`)
  const site = ['created', 'changed', 'key_rotated', 'deleted'].map((what) => `guard.site.${what}`)
  t.same(types(), site)
  const listing = (await ask('PUT /v1/trust/lists', { hostname: 'malware.example', policy: 'deny' })).body
  await ask(`DELETE /v1/trust/lists/${listing.id}`)
  t.equal((await ask(`DELETE /v1/trust/lists/${listing.id}`)).status, 404)
  t.same(types(), [...site, 'trust.listing.set', 'trust.listing.removed'])
})

t.test('notify tells of what it takes once, identity of what is decided', async (t) => {
  const { ask, orgId, types } = await scene()
  const event = { product_key: 'shop', type: 'order.shipped', subject_user_id: newId(), title: 'On its way' }
  for (let n = 0; n < 2; n++) {
    t.equal((await ask('POST /v1/notify/events', { ...event, dedupe_key: 'once' })).status < 300, true)
  }
  const about = { idp_sub: 'auth0|1', requirement: 'identity.address' }
  await ask('POST /v1/identity/checks', { ...about, status: 'verified' })
  await ask('POST /v1/identity/checks', { ...about, status: 'rejected', code: 'unreadable', reason: 'Too dark.' })
  const decided = 'identity.check.decided'
  t.same(types(), ['notify.event.accepted', 'identity.check.verified', decided, 'identity.check.rejected', decided])
  t.match(emittedTo(orgId)[3]?.data, { requirement: 'identity.address', reason_code: 'unreadable' })
})

t.test('a call that waits and is hung up is told of as ended', async (t) => {
  const { ask, orgId, types } = await scene()
  const facts = {
    caller_id: '+15550100',
    ring_timeout_seconds: 30,
    max_duration_seconds: 60,
    metadata: { order: '17' },
  }
  const id = newId()
  await calls.insert(db, { id, org_id: orgId, key_id: null, ...facts }, { a: '+15550101', b: '+15550102' })
  t.equal((await ask(`DELETE /v1/voice/calls/${id}`)).status, 200)
  t.same(types(), ['voice.call.ended'])
  t.match(emittedTo(orgId)[0]?.data, { id, status: 'canceled', ended_by: 'api', metadata: { order: '17' } })
})

t.test('WhatsApp tells of each status once, and of what people write', async (t) => {
  const { orgId, types } = await scene()
  const id = newId()
  const at = new Date().toISOString()
  await messages.insertMany(db, [
    {
      id,
      org_id: orgId,
      direction: 'outbound',
      phone: '+3725550100',
      wa_id: '3725550100',
      type: 'text',
      content: { body: 'Hello' },
      status: 'queued',
      context_message_id: null,
      provider_message_id: 'wamid.out',
      send_at: at,
      created_at: at,
    },
  ])
  const told = (status: 'delivered' | 'sent') =>
    db.transaction((tx) => recordStatuses(tx, [{ id, status, at: new Date(), error: null, wamid: 'wamid.out' }]))
  await told('delivered')
  await told('delivered')
  await told('sent')
  t.same(types(), ['whatsapp.message.delivered'], 'a status never moves back, and neither do events')
  const heard = { id: 'wamid.in', from: '3725550100', type: 'text', timestamp: new Date(), text: { body: 'Hi' } }
  const hear = () =>
    db.transaction((tx) =>
      recordInbound(
        tx,
        [{ ...heard, context: { id: 'wamid.out' } }] as unknown as Parameters<typeof recordInbound>[1],
        '1',
      ),
    )
  await hear()
  await hear()
  t.same(types(), ['whatsapp.message.delivered', 'whatsapp.message.received'])
  t.match(emittedTo(orgId)[1]?.data, { from: '+3725550100', content: { body: 'Hi' }, in_reply_to: 'wamid.out' })
})
