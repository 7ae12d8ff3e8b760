import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { hookStack } from '../hooks/stack.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await hookStack(t, { areas: ['app', 'account'] })
const url = stack.base.ingress.url
const receiver = await testReceiver(t)
await stack.startWorkers()
const developer = await signedIn(stack.db, url, stack.orgId, 'developer')
const viewer = await signedIn(stack.db, url, stack.orgId, 'viewer')
const page = async (path: string, member = developer) => (await get(url, path, member)).text
const send = (path: string, form: Record<string, string>, member = developer) => submit(url, path, member, form)
const placeOf = (reply: { headers: Headers }) => (reply.headers.get('location') ?? '').split('?')[0] as string

t.test(
  'a developer creates an event type and an app, adds an endpoint, sends a message and sees the response',
  async (t) => {
    t.match(await page('/app/hooks', viewer), 'Your apps appear here')
    t.notMatch(await page('/app/hooks', viewer), 'Create app')
    const bad = await send('/app/hooks/new-event-type', { name: 'a b', schema: '{', example: '' })
    t.match(bad, { status: 400, text: /id="schema-fault"/ })
    const wrong = await send('/app/hooks/new-event-type', { name: 'a b', schema: '{"type": "strange"}', example: '' })
    t.match(wrong, { status: 400, text: /id="name-fault"/ })
    const schema = JSON.stringify({ type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] })
    const type = { name: 'invoice.paid', description: 'An invoice was paid.', schema, example: '{"amount": 5}' }
    const made = await send('/app/hooks/new-event-type', type)
    t.equal(placeOf(made), '/app/hooks/event-types/invoice.paid', made.text)
    t.match(await page('/app/hooks/event-types'), 'invoice.paid')
    t.match(await page(placeOf(made), viewer), /<pre.*amount/s)
    t.equal((await send(placeOf(made), { ...type, description: 'Paid.' })).status, 303)
    t.match(await page(placeOf(made)), 'value="Paid."')

    t.match(await send('/app/hooks/new', { name: '', uid: 'a b', metadata: 'plan=pro', rate: 'x' }), {
      status: 400,
      text: /id="name-fault".*id="uid-fault".*id="rate-fault"/s,
    })
    const app = placeOf(
      await send('/app/hooks/new', { name: 'Acme <b>', uid: 'acme', metadata: 'plan=pro', rate: '100' }),
    )
    t.match(app, /^\/app\/hooks\/apps\//)
    t.match(await page(app, viewer), /Acme &lt;b&gt;.*plan=pro.*100 per minute/s)
    t.match(await page('/app/hooks?name=acme'), app)
    t.match(await page('/app/hooks?name=other'), 'No apps match this search')
    t.equal((await send(`${app}/edit`, { name: 'Acme', uid: 'acme', metadata: 'tier=2', rate: '' })).status, 303)
    t.match(await page(app), 'tier=2')
    t.notMatch(await page(app), 'plan=pro')

    const endpoint = { url: `${receiver.url}/page`, types: 'invoice.paid', headers: 'X-Team: billing', filters: '' }
    const faulty = await send(`${app}/endpoints/new`, {
      ...endpoint,
      url: 'ftp://x',
      filters: '[{}]',
      headers: 'host: x',
    })
    t.match(faulty, { status: 400, text: /id="url-fault".*id="filters-fault".*id="headers-fault"/s })
    const added = await send(`${app}/endpoints/new`, endpoint)
    t.match(added, { status: 200, text: /whsec_/ })
    const place = /href="(\/app\/hooks\/apps\/[^"]+\/endpoints\/[0-9a-f-]+)"/.exec(added.text)?.[1] as string
    t.match(await page(place, viewer), /x-team/)
    t.notMatch(await page(place, viewer), 'billing')

    t.match(await send(`${app}/messages/new`, { event_type: 'invoice.paid', payload: '{"amount": "x"}' }), {
      status: 400,
      text: /id="payload-fault"/,
    })
    const message = placeOf(
      await send(`${app}/messages/new`, { event_type: 'invoice.paid', payload: '{"amount": 987654321}', tags: 'vip' }),
    )
    const [delivery] = await receiver.has(1, '/page')
    t.equal(delivery?.headers['x-team'], 'billing')
    await until(async () => (await page(message)).includes('>204 <'))
    t.match(await page(message), /987654321.*Response of http/s)
    t.notMatch(await page(message, viewer), '987654321')
    t.match(await page(app), />invoice\.paid<\/a>/)
    t.match(await page(`${app}?status=failed`), 'No messages match these filters')
    const id = place.split('/').at(-1) as string
    t.equal((await send(`${message}/resend`, { endpoint_id: id })).status, 303)
    await receiver.has(2, '/page')
    t.equal((await send(`${place}/test`, { event_type: 'invoice.paid' })).status, 303)
    t.match(await page(place), 'The endpoint accepted the test.')
    t.equal((await send(`${place}/recover`, { since: '2026-01-01T00:00', which: 'failed' })).status, 303)
    t.match(await page(place), '0 messages will be sent')
    t.match(await send(`${place}/recover`, { since: 'x', which: 'failed' }), { status: 400, text: /id="since-fault"/ })
    t.match(await send(`${place}/secret`, { what: 'show', keep_hours: '24' }), { status: 200, text: /whsec_/ })
    t.match(await send(`${place}/secret`, { what: 'rotate', keep_hours: '24' }), {
      status: 200,
      text: /Secret rotated/,
    })
    t.equal((await send(`${place}/edit`, { ...endpoint, headers: '', description: 'Main' })).status, 303)
    t.match(await page(place), /Main.*x-team/s, 'blank headers are kept')
    t.equal((await send(`${place}/disable`, {})).status, 303)
    t.match(await page(place), 'Enable endpoint')
    t.equal((await send(`${place}/enable`, {})).status, 303)
    t.equal((await send(`${message}/delete-payload`, {})).status, 303)
    t.match(await page(message), 'The payload was deleted')

    const link = await send(`${app}/portal`, { ttl: '3600', capability: 'read' })
    const portal = /href="([^"]+\/hooks\/portal\/[^"]+)"/.exec(link.text)?.[1] as string
    const open = () => fetch(new URL(new URL(portal).pathname, url))
    t.equal((await open()).status, 200)
    t.equal((await send(`${app}/portal/revoke`, {})).status, 303)
    t.equal((await open()).status, 404)
    t.equal((await send(`${app}/disable`, {})).status, 303)
    t.match(await page(app), 'Enable app')
    t.equal((await send('/app/hooks/event-types/invoice.paid/archive', { archived: 'true' })).status, 303)
    t.match(await page(`${app}/messages/new`), 'Create an event type first')

    for (const path of [`${app}/edit`, `${app}/messages/new`, `${place}/edit`, `${app}/portal`, `${place}/secret`])
      t.equal((await get(url, path, viewer)).status, 403, path)
    t.equal((await send(placeOf(made), type, viewer)).status, 403)
    const { org } = await testOrg(stack.db, [])
    const stranger = await signedIn(stack.db, url, org.id, 'owner')
    for (const path of [app, place, message, placeOf(made)]) t.equal((await get(url, path, stranger)).status, 404, path)
    t.equal((await send(`${place}/remove`, {})).status, 303)
    t.equal((await send('/app/hooks/event-types/invoice.paid/remove', {})).status, 303)
    t.equal((await send(`${app}/remove`, {})).status, 303)
    t.equal((await get(url, app, developer)).status, 404)
  },
)

t.test('changes by members are in the audit log', async (t) => {
  const app = placeOf(await send('/app/hooks/new', { name: 'Audited', uid: 'audited', metadata: '', rate: '' }))
  t.equal((await send(`${app}/edit`, { name: 'Changed', uid: 'audited', metadata: '', rate: '' })).status, 303)
  const target = app.split('/').at(-1) as string
  const entries = await stack.db.any(sql.unsafe`
    select action, actor_kind, after ->> 'name' as name from account.audit where target = ${target} order by number`)
  t.same(entries, [
    { action: 'hooks.app.created', actor_kind: 'user', name: 'Audited' },
    { action: 'hooks.app.changed', actor_kind: 'user', name: 'Changed' },
  ])
})
