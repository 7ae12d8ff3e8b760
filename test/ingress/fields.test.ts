import '../support/voice-environment.ts'
import '../support/forms-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import { areas } from '../../ingress/areas.ts'
import { provide } from '../../ingress/http/container.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { insertAsset } from '../support/assets.ts'
import { testDatabase } from '../support/database.ts'
import { operationsOf, resolver } from '../support/extremes.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { exportedLeaves } from './fields/exported.ts'
import { findRefused, findUnexported, findUnsent, findUnshown } from './fields/faults.ts'
import { findIgnoredFilters } from './fields/filters.ts'
import { filterFields, filtersApart } from './fields/filters-apart.ts'
import { ownLayout, ownNumber, reachable } from './fields/form.ts'
import { forms as described } from './fields/forms.ts'
import { isWalked, notWalked } from './fields/not-walked.ts'
import { Writer } from './fields/writes.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const where = { endpoint: 'http://127.0.0.1:9', publicEndpoint: 'http://127.0.0.1:9' }
const noStorage = new Storage({ ...where, region: 'x', bucket: 'x', accessKey: 'x', secretKey: 'x' })
const { ask } = await testIngress(t, db, [], {
  services: [
    provide(signingSecret, 's'.repeat(32)),
    provide(storage, noStorage),
    provide(settings, { phoneNumberId: '1', accountId: '2', appSecret: 's', verifyToken: 'v', waitMs: 1 }),
  ],
})
const document = createOpenapi(areas) as unknown as Parameters<typeof operationsOf>[0]
const resolve = resolver(document)
const operations = operationsOf(document)
const routes = areas.flatMap(({ operations }) => operations)
const scopes = [...new Set(routes.flatMap(({ route }) => route.scope ?? []))]
const { org, keys } = await testOrg(db, [], {
  keys: { live: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } },
})
const asKey = (key: string) => (request: string, body?: unknown) =>
  ask(request, { key, ...(body === undefined ? {} : { body }) })
const forms = operations.filter(isWalked)

await addDomain(db, org.id, 'shop.example')
await db.query(sql.typeAlias('void')`
  insert into voice.numbers (id, org_id, number, friendly_name, country, type)
  values (${newId()}, ${org.id}, ${ownNumber}, 'Office', 'EE', 'local')`)
await db.query(sql.typeAlias('void')`
  insert into email.templates (id, org_id, name, kind, alias, syntax, subject, html)
  values (${newId()}, ${org.id}, 'Layout', 'layout', ${ownLayout}, 'liquid', '', '{% block content %}{% endblock %}')`)
const numberId = newId()
await db.query(sql.typeAlias('void')`
  insert into whatsapp.business_numbers
    (id, org_id, phone_number_id, account_id, access_token, app_secret, verify_token, state)
  values (${numberId}, ${org.id}, '3', '4', 'x', 'x', 'x', 'connected')`)
await db.query(sql.typeAlias('void')`
  insert into whatsapp.number_contacts (number_id, wa_id, last_inbound_at)
  values (${numberId}, ${reachable.slice(1)}, now())`)
const [listed, playable] = [await insertAsset(db, org.id, {}), await playableAsset(db, org.id)]

const live = new Writer(operations, resolve, asKey(keys.live))
const rows = [{ email: 'listed@people.example' }]
const { body: list } = await asKey(keys.live)('POST /send/v1/suppressions/import', { rows })
live.remember('/send/v1/imports', { id: list.id })
const moved = { provider: 'postmark', part: 'suppressions', csv: 'email\nmoved@people.example\n' }
await asKey(keys.live)('POST /v1/moving/imports', moved)
live.remember('/v1/stream/assets', { id: playable.id })
live.remember('/v1/streaming/videos', { uuid: listed, id: listed })
live.remember('/v1/whatsapp/numbers', { id: numberId })
live.remember('/v1/people', { user_id: 'ann' })
live.remember('/v1/streaming/playlists/{playlistId}/videos', { uuid: listed })

t.test('each field of each form is accepted and shown by reads', async (t) => {
  const archives = []
  let waiting: readonly (typeof forms)[number][] = []
  // An archive has the values of the last form, so changes follow in rounds of their own. Some changes are a POST.
  for (const round of [/^POST .*[^}]$/, /^POST .*\}$/, /^PUT /, /^PATCH /]) {
    waiting = await live.writeAll([...waiting, ...forms.filter(({ method, path }) => round.test(`${method} ${path}`))])
    archives.push(await exportedLeaves(db, org.id))
  }
  t.same(waiting, [], 'all that forms name was made')
  t.same(findRefused(live.written), [])
  t.same(findUnsent(forms, live.written, resolve), [])
  t.same(findUnshown(live.written), [])
  t.same(findUnexported(live.written, archives), [], 'and in archives')
})

t.test('a test key can send the same, and reads it', async (t) => {
  const sandboxed = new Set(routes.filter(({ route }) => route.testKeys === 'sandbox').map(({ id }) => id))
  const writer = new Writer(operations, resolve, asKey(keys.test), live)
  const ofTests = forms.filter(({ id }) => sandboxed.has(id))
  t.same(await writer.writeAll(ofTests), [])
  t.same(findRefused(writer.written), [])
  t.same(findUnshown(writer.written, 'untested'), [])
})

t.test('each filter of a list with the name of a field selects by it', async (t) => {
  const lists = operations.filter(
    ({ method, parameters }) => method === 'GET' && parameters.some(({ name }) => name === 'cursor'),
  )
  t.same(await findIgnoredFilters(lists, resolve, live, asKey(keys.live)), [])
})

t.test('each operation and filter that the lists of forms and reasons name is there', (t) => {
  const ids = operations.map(({ id }) => id)
  const filters = operations.flatMap(({ id, parameters }) => parameters.map(({ name }) => `${id} ${name}`))
  t.same(
    Object.keys(described).filter((id) => !ids.includes(id)),
    [],
  )
  t.same(
    notWalked.filter(([pattern]) => !ids.some((id) => pattern.test(id))).map(([pattern]) => pattern.source),
    [],
  )
  t.same(
    filtersApart.filter(([pattern]) => !filters.some((one) => pattern.test(one))).map(([pattern]) => pattern.source),
    [],
  )
  t.same(
    Object.keys(filterFields).filter((one) => !filters.includes(one)),
    [],
  )
  t.end()
})
