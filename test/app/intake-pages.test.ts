import '../support/work-environment.ts'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { intakeStack, openssl } from '../intake/stack.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db } = await intakeStack(t)
const { url, ask } = await testIngress(t, db, [], {
  only: ['app', 'account', 'intake', 'jobs'],
  services: [provide(services.signingSecret, signingSecret)],
})

const placeOf = (reply: { headers: Headers }) => (reply.headers.get('location') ?? '').split('?')[0] as string
const urlIn = (text: string) => /\/in\/[0-9A-Za-z]{43}/.exec(text)?.[0] ?? ''

t.test('a developer adds a source, sees what arrives, and changes the source; a viewer sees no body', async (t) => {
  const { org } = await testOrg(db, [])
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  t.match((await get(url, '/app/intake', viewer)).text, 'Received webhooks appear here')
  for (const provider of ['stripe', 'github', 'shopify', 'slack', 'standard', 'hmac'])
    t.equal((await get(url, `/app/intake/sources/new?provider=${provider}`, developer)).status, 200, provider)
  const form = { name: 'Orders', secret: 'secret-of-orders', hmac_header: 'x-sig', forward_url: 'ftp://x', filter: '{' }
  const place = '/app/intake/sources/new?provider=hmac'
  t.match(await submit(url, place, developer, form), { status: 400, text: /id="filter-fault"/ })
  const bad = await submit(url, place, developer, { ...form, filter: '', forward_rate: '{"key": ""}' })
  t.match(bad, { status: 400, text: /id="forward_url-fault".*id="forward_rate-fault"/s })
  t.notMatch(bad.text, 'secret-of-orders', 'a secret is never shown again')
  const types = { hmac_event_type_path: 'type', hmac_event_id_path: 'id' }
  const made = await submit(url, place, developer, { ...form, ...types, filter: '', forward_url: '' })
  t.equal(made.status, 303, made.text)
  const page = placeOf(made)
  const source = (await get(url, page, viewer)).text
  t.match(source, 'Compare the header')
  t.notMatch(source, 'secret-of-orders')
  const body = '{"id":"e1","type":"order.paid","note":"Hello <b>"}'
  const sent = await ask(`POST ${urlIn(source)}`, {
    raw: body,
    headers: { 'x-sig': openssl('sha256', 'secret-of-orders', body) },
  })
  t.equal(sent.status, 200, sent.text)
  t.equal((await ask(`POST ${urlIn(source)}`, { raw: body, headers: { 'x-sig': 'ab' } })).status, 401)
  const list = (await get(url, '/app/intake', developer)).text
  t.match(list, /order\.paid/)
  t.match((await get(url, '/app/intake?status=rejected', developer)).text, 'signature wrong')
  const request = `/app/intake/requests/${sent.body.id}`
  t.match((await get(url, request, developer)).text, 'Hello &lt;b&gt;')
  t.notMatch((await get(url, request, viewer)).text, 'Hello')
  const edit = {
    name: 'Orders 2',
    ...types,
    hmac_header: 'x-sig',
    forward_url: 'https://example.com/in',
    forward_headers: '{"authorization": "Bearer abc"}',
  }
  const edited = await submit(url, `${page}/edit`, developer, {
    ...edit,
    forward_retries: '{"schedule": [1, 2]}',
    forward_timeout: '9',
  })
  t.equal(edited.status, 303, edited.text)
  const shown = (await get(url, `${page}/edit`, developer)).text
  t.match(shown, 'value="https://example.com/in"')
  t.match(shown, 'value="9"')
  t.notMatch(shown, 'Bearer abc')
  for (const name of ['pause', 'resume', 'url'])
    t.equal((await submit(url, `${page}/${name}`, developer, {})).status, 303)
  t.not(urlIn((await get(url, page, developer)).text), urlIn(source))
  t.equal((await submit(url, `${request}/replay`, developer, {})).status, 303)
  t.match((await get(url, request, developer)).text, '/app/jobs/')
  t.equal((await submit(url, `${page}/replay`, developer, { since: '2026-01-01T00:00' })).status, 303)
  const rotated = await submit(url, `${page}/secret`, developer, { secret: '', keep_hours: '1' })
  t.match(rotated, { status: 200, text: /Secret replaced.*Copy it now/s })
  t.equal((await submit(url, `${page}/pause`, viewer, {})).status, 403)
  const { org: other } = await testOrg(db, [])
  const stranger = await signedIn(db, url, other.id, 'owner')
  t.equal((await get(url, page, stranger)).status, 404)
  t.equal((await get(url, request, stranger)).status, 404)
  t.equal((await submit(url, `${request}/remove`, developer, {})).status, 303)
  t.equal((await submit(url, `${page}/remove`, developer, {})).status, 303)
  t.match((await get(url, '/app/intake/sources', developer)).text, 'Your sources appear here')
})
