import t from 'tap'
import { firstIdAt, newId } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import * as requestDays from '#sql/account/usage/request-days.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { openSource } from '../notify/event-source.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const only = { only: ['account'] }
const [{ url }, { url: another }] = [await testIngress(t, db, [], only), await testIngress(t, db, [], only)]
const path = '/v1/account/requests/stream'
await requestDays.makeDays(db)

async function scene() {
  const scopes = ['account:logs']
  const { org, keys: made } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } },
  })
  const all = await keys.list(db, org.id)
  const idOf = (mode: string) => all.find((key) => key.mode === mode)?.id as string
  const listen = (query = '', { key = made.main, base = url, last = '' } = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(last && { 'last-event-id': last }) }
    // Requests of the stream are logged, too.
    return openSource(t, `${base}${path}?operation=email.messages.create&${query}`, headers)
  }
  const log = async (facts: Partial<requests.Request> = {}) => {
    const row = { ...empty, id: newId(), org_id: org.id, key_id: idOf('live'), ...facts }
    await requests.write(db, [row])
    return row.id
  }
  return { listen, log, keys: made, testKeyId: idOf('test') }
}

const empty: Omit<requests.Request, 'id' | 'org_id' | 'key_id'> = {
  ...{ secret_id: null, client_id: null, operation: 'email.messages.create', status: 201, code: null, ms: 12 },
  ...{ bytes_in: 10, bytes_out: 20, network: '192.0.2.0/24', sdk: null, jobs: [], resource_id: null, error: null },
  ...{ request_head: null, response_head: null },
}

const ids = (came: readonly { id: string }[]) => came.map(({ id }) => id)

t.test('a client receives new requests as in the list, of its filter', async (t) => {
  const { listen, log, keys: made, testKeyId } = await scene()
  await log()
  const [all, errors, ofTestKey] = [
    await listen(),
    await listen('class=4&code=bad_request'),
    await listen('', { key: made.test }),
  ]
  for (const source of [all, errors, ofTestKey]) await source.wait('ready', 1)
  const first = await log()
  const error = { code: 'bad_request', fields: ['body.to'], message: 'wrong', issues: ['is required'] }
  const failed = await log({ status: 400, code: 'bad_request', error })
  const tested = await log({ key_id: testKeyId })
  t.same(ids(await all.wait('request', 3)), [first, failed, tested])
  t.same(ids(await errors.wait('request', 1)), [failed])
  t.same(ids(await ofTestKey.wait('request', 1)), [tested])
  const { body } = await ask(url, `GET /v1/account/requests?code=bad_request`, { key: made.main })
  t.same(await errors.wait('request', 1), body.data)
  t.equal(all.came.at(-1)?.id, tested)
})

t.test(
  'a client that reconnects to another process receives missed requests, also those that were written late',
  async (t) => {
    const { listen, log } = await scene()
    const source = await listen()
    await source.wait('ready', 1)
    const late = newId()
    const seen = await log()
    await source.wait('request', 1)
    source.close()
    await until(() => source.ended)
    await log({ id: late })
    const missed = await log()
    const again = await listen('', { base: another, last: source.lastEventId })
    await again.wait('request', 3)
    t.same(new Set(ids(await again.wait('request', 3))), new Set([seen, late, missed]))
    const next = await log()
    const [, , , last, ...more] = ids(await again.wait('request', 4))
    t.same([last, more], [next, []])
  },
)

t.test('a client can start in the past, and a position that has expired is reported', async (t) => {
  const { listen, log } = await scene()
  const old = await log()
  const since = await listen(`since=${new Date(Date.now() - 900_000).toISOString()}`)
  t.same(ids(await since.wait('request', 1)), [old])
  const ancient = firstIdAt(new Date(Date.now() - 30 * 86_400_000))
  for (const last of [ancient, 'none']) {
    const gap = await listen('', { last })
    await gap.wait('gap', 1)
    t.same(ids(await gap.wait('request', 1)), [old])
  }
})

t.test('requests of other organisations are not sent', async (t) => {
  const [one, other] = [await scene(), await scene()]
  const [mine, theirs] = [await one.listen(), await other.listen()]
  for (const source of [mine, theirs]) await source.wait('ready', 1)
  await other.log()
  const id = await one.log()
  t.same(ids(await mine.wait('request', 1)), [id])
})

t.test('an organisation can have up to 20 streams', async (t) => {
  const { listen, keys: made } = await scene()
  const sources = await Promise.all(Array.from({ length: 20 }, () => listen()))
  for (const source of sources) await source.wait('ready', 1)
  t.equal((await ask(url, `GET ${path}`, { key: made.main })).status, 429)
})
