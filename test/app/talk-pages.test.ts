import '../support/trunk-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as calls from '#sql/voice/calls.ts'
import * as numbers from '#sql/voice/numbers.ts'
import * as contacts from '#sql/whatsapp/contacts.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'whatsapp', 'voice'] })

async function scene() {
  const { org } = await testOrg(db, [])
  return { orgId: org.id, viewer: await signedIn(db, url, org.id, 'viewer') }
}

t.test(
  'conversations are told by their newest message, without what it says, and to their organisation alone',
  async (t) => {
    const { orgId, viewer } = await scene()
    t.match((await get(url, '/app/whatsapp', viewer)).text, 'No messages yet')
    const at = new Date()
    const instants = { send_at: at.toISOString(), created_at: at.toISOString(), context_message_id: null }
    const of = (digits: string) => ({ ...instants, org_id: orgId, phone: `+${digits}`, wa_id: digits, type: 'text' })
    const content = { body: 'our secret' }
    await messages.insertMany(db, [
      { ...of('37255501234'), id: newId(), direction: 'outbound', status: 'read', content },
      { ...of('37255505678'), id: newId(), direction: 'outbound', status: 'failed', content },
      { ...of('37255501234'), id: newId(), direction: 'inbound', status: 'received', content },
    ])
    await contacts.recordInbound(db, new Map([['37255501234', at]]))
    await conversations.hear(db, [{ org_id: orgId, wa_id: '37255501234', at: at.toISOString() }])
    const { text } = await get(url, '/app/whatsapp', viewer)
    t.match(text, /\+37255501234.*received.*received.*>2<.*open.*\+37255505678.*sent.*failed.*>1<.*closed/s)
    t.notMatch(text, 'our secret')
    t.equal(text.match(/<th scope="row">/g)?.length, 2)
    t.match((await get(url, '/app/whatsapp', (await scene()).viewer)).text, 'No messages yet')
  },
)

t.test('calls are listed by their state, and to their organisation alone', async (t) => {
  const { orgId, viewer } = await scene()
  t.match((await get(url, '/app/calls', viewer)).text, 'No calls yet')
  const call = { id: newId(), org_id: orgId, key_id: null, caller_id: '+3726000001', metadata: { note: 'our secret' } }
  const times = { ring_timeout_seconds: 30, max_duration_seconds: 600 }
  await calls.insert(db, { ...call, ...times }, { a: '+37251000001', b: '+37252000002' })
  await calls.failWaiting(db, call.id)
  const { text } = await get(url, '/app/calls?status=failed', viewer)
  t.match(text, /\+37251000001.*\+37252000002.*failed.*not begun.*\+3726000001/s)
  t.notMatch(text, 'our secret')
  const page = await get(url, `/app/calls/${call.id}`, viewer)
  t.match(page.text, /data-live="call\/.*Call again.*failed.*rings first.*rings second/s)
  t.notMatch(page.text, 'our secret')
  t.match((await get(url, `/app/calls/${call.id}`, await signedIn(db, url, orgId, 'developer'))).text, 'our secret')
  t.equal((await get(url, `/app/calls/${call.id}`, (await scene()).viewer)).status, 404)
  t.match((await get(url, '/app/calls?status=busy', viewer)).text, 'No calls match this filter')
  t.equal((await get(url, '/app/calls?status=odd', viewer)).status, 400)
  t.match((await get(url, '/app/calls', (await scene()).viewer)).text, 'No calls yet')
})

t.test('a call is placed by those who may; a bad number is told at its field', async (t) => {
  const { orgId, viewer } = await scene()
  await numbers.insert(db, {
    ...{ id: newId(), org_id: orgId, number: '+3726000001', friendly_name: 'Desk', country: 'EE' },
    type: 'local',
  })
  const developer = await signedIn(db, url, orgId, 'developer')
  t.match((await get(url, '/app/calls/new', developer)).text, /This is the sandbox.*Desk/s)
  const numbersOf = { from: '+37251000001', to: '+37252000002' }
  const bad = await submit(url, '/app/calls/new', developer, { ...numbersOf, to: '12' })
  t.match(bad, { status: 400, text: /id="to-fault"/ })
  t.equal((await submit(url, '/app/calls/new', viewer, numbersOf)).status, 403)
  const placed = await submit(url, '/app/calls/new', developer, numbersOf)
  const place = placed.headers.get('location') ?? ''
  t.match((await get(url, place, developer)).text, /Hang up.*queued/s)
  t.equal((await submit(url, `${place}/hang-up`, viewer, {})).status, 403)
  t.equal((await submit(url, `${place}/hang-up`, developer, {})).status, 303)
  t.match((await get(url, place, developer)).text, /canceled/)
})

t.test('who is not signed in is asked to, and nothing is sent to a list', async (t) => {
  const { viewer } = await scene()
  for (const path of ['/app/whatsapp', '/app/calls']) {
    t.equal((await get(url, path, { cookie: 'a=b' })).status, 303)
    t.equal((await submit(url, path, viewer, {})).status, 405)
  }
})
