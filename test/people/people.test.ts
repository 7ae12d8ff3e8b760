import t from 'tap'
import { Kind } from '#sql/people/timeline.ts'
import { everywhere, mail, peopleStack, sms, verification } from './people.ts'

const stack = await peopleStack(t)
const { db } = stack
const [one, other] = [await stack.house(), await stack.house()]
const email = 'ann@rcpt.example'
const phone = '+3725550123'
const user = 'auth0|ann 17'
const path = `/v1/people/${encodeURIComponent(user)}`

t.test('a person is everything that the areas know by the user_id', async (t) => {
  t.equal((await one.ask(`GET ${path}`)).status, 404)
  const { appId, deviceId } = await everywhere(db, one, user, { email, phone })
  const { body } = await one.ask(`GET ${path}`)
  t.match(body, {
    user_id: user,
    name: 'Ann',
    locale: 'de-AT',
    emails: [{ email, sources: ['contact', 'directory'], verified: true, shared: false }],
    phones: [{ phone, sources: ['directory', 'verification'], verified: true, shared: false }],
    contacts: [{ email, status: 'confirmed', linked_by: 'user_id', tags: ['customer'] }],
    suppressions: [],
    devices: [{ id: deviceId, app_id: appId, user_id: user, provider: 'sse', status: 'active' }],
    preferences: [{ product_key: 'shop', type: '*', channels: ['in_app'] }],
    consent: {
      email: { state: 'granted', source: 'api' },
      push: { state: 'granted' },
      whatsapp: { state: 'none' },
      sms: { state: 'none' },
    },
  })
  t.equal((await other.ask(`GET ${path}`)).status, 404)
})

t.test('the timeline has all kinds in one order, in pages, and by kind', async (t) => {
  const all = await one.ask(`GET ${path}/timeline?limit=100`)
  const kinds = all.body.data.map(({ kind }: { kind: string }) => kind)
  t.same(new Set(kinds), new Set(Kind.options))
  const ids = all.body.data.map(({ id }: { id: string }) => id)
  t.same(ids, [...ids].sort().reverse())
  const paged: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await one.ask(`GET ${path}/timeline?limit=3${cursor}`)
    paged.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.same(paged, ids)
  const some = await one.ask(`GET ${path}/timeline?kind=email&kind=call`)
  t.match(some.body.data, [
    { kind: 'call', address: phone, title: null },
    { kind: 'email', address: email, direction: 'outbound', title: 'Hello', about: 'transactional' },
  ])
  t.equal((await one.ask(`GET ${some.body.data[1].url}`)).status, 200)
  const texts = (await one.ask(`GET ${path}/timeline?kind=sms&kind=verification`)).body.data
  t.match(texts, [
    { kind: 'verification', address: phone, about: 'sms', status: 'approved', title: null },
    { kind: 'sms', address: phone, direction: 'inbound', status: 'received', title: 'Hallo' },
  ])
  for (const { url } of texts) t.equal((await one.ask(`GET ${url}`)).status, 200, url)
  t.equal((await other.ask(`GET ${path}/timeline`)).status, 404)
})

t.test('people are found by their ID, email address and phone number', async (t) => {
  const found = async (query: string, house = one) =>
    (await house.ask(`GET /v1/people?${query}`)).body.data.map(({ user_id }: { user_id: string }) => user_id)
  t.same(await found(`user_id=${encodeURIComponent(user)}`), [user])
  t.same(await found(`email=${email}`), [user])
  t.same(await found(`phone=${encodeURIComponent(phone)}`), [user])
  t.same(await found(`phone=${encodeURIComponent(phone)}&email=${email}`), [user])
  t.same(await found('email=nobody@rcpt.example'), [])
  t.same(await found(`email=${email}`, other), [])
  for (const n of [1, 2, 3]) await one.ask(`PUT /v1/notify/people/p${n}`, { name: `P ${n}` })
  const first = (await one.ask('GET /v1/people?limit=2')).body
  const rest = (await one.ask(`GET /v1/people?limit=100&cursor=${first.next_cursor}`)).body
  const ids = [...first.data, ...rest.data].map(({ user_id }: { user_id: string }) => user_id)
  t.same(ids, [user, 'p1', 'p2', 'p3'])
  t.same(first.data[0].areas, ['notify', 'email', 'push', 'bots'])
})

t.test('an address of two people links nothing to either of them', async (t) => {
  const shared = 'family@rcpt.example'
  await one.ask('PUT /v1/notify/people/mum', { email: shared })
  await one.ask('PUT /v1/notify/people/dad', { email: shared })
  await one.ask('POST /send/v1/contacts', { email: shared })
  await mail(one, shared, 'To whom?')
  for (const id of ['mum', 'dad']) {
    const { body } = await one.ask(`GET /v1/people/${id}`)
    t.match(body, { emails: [{ email: shared, shared: true }], contacts: [] }, id)
    t.same((await one.ask(`GET /v1/people/${id}/timeline`)).body.data, [], id)
  }
  await one.ask(`PATCH /send/v1/contacts/${shared}`, { user_id: 'mum' })
  t.match((await one.ask('GET /v1/people/mum')).body.contacts, [{ email: shared, linked_by: 'user_id' }])
  t.same((await one.ask('GET /v1/people/dad')).body.contacts, [])
  await one.ask('DELETE /v1/notify/people/dad')
  t.match((await one.ask('GET /v1/people/mum/timeline')).body.data, [{ kind: 'email', title: 'To whom?' }])
})

t.test('a number that a person has verified belongs to the person, unless two have verified it', async (t) => {
  const number = '+3725556001'
  await sms(db, one, number, 'delivered')
  await verification(db, one, { to: number, user: 'vera', status: 'expired' })
  const phones = async () => (await one.ask('GET /v1/people/vera')).body.phones
  t.same(await phones(), [], 'a code that nobody entered proves nothing')
  await verification(db, one, { to: number, user: 'vera' })
  t.same(await phones(), [{ phone: number, sources: ['verification'], verified: true, shared: false }])
  t.match((await one.ask('GET /v1/people/vera/timeline?kind=sms')).body.data, [{ kind: 'sms', address: number }])
  await verification(db, one, { to: number, user: 'veronika' })
  t.match(await phones(), [{ shared: true }])
  t.same((await one.ask('GET /v1/people/vera/timeline?kind=sms')).body.data, [])
})

t.test('keys read and change only with the scopes, and without locks and test mode', async (t) => {
  const { keys, ask } = one
  t.equal((await ask(`GET ${path}`, undefined, keys.reader)).status, 200)
  t.equal((await ask(`POST ${path}/erase`, {}, keys.reader)).status, 403)
  t.equal((await ask(`PUT ${path}/consent`, { push: 'denied', source: 'x' }, keys.reader)).status, 403)
  for (const key of [keys.locked, keys.test, keys.stranger]) {
    for (const request of [`GET ${path}`, 'GET /v1/people', `GET ${path}/timeline`, `GET ${path}/consent`]) {
      t.equal((await ask(request, undefined, key)).status, 403, request)
    }
  }
  t.match((await ask(`GET ${path}`, undefined, keys.locked)).body.error.message, /from_domains/)
})

t.test('links are stored, echoed, filtered and removed by each area', async (t) => {
  const contact = 'link@rcpt.example'
  await one.ask('POST /send/v1/contacts/import', { contacts: [{ email: contact, user_id: 'linked' }] })
  t.match((await one.ask('GET /send/v1/contacts?user_id=linked')).body.data, [{ email: contact, user_id: 'linked' }])
  t.match((await one.ask(`PATCH /send/v1/contacts/${contact}`, { user_id: null })).body, { user_id: null })
  t.same((await one.ask('GET /send/v1/contacts?user_id=linked')).body.data, [])
  const number = encodeURIComponent('+3725550777')
  const put = await one.ask(`PUT /v1/whatsapp/recipients/${number}`, { user_id: 'linked' })
  t.match(put.body, { phone: '+3725550777', user_id: 'linked', consent: null })
  t.same((await one.ask(`GET /v1/whatsapp/recipients/${number}`)).body, put.body)
  t.same((await one.ask('GET /v1/whatsapp/recipients?user_id=linked')).body.data, [put.body])
  t.equal((await other.ask(`GET /v1/whatsapp/recipients/${number}`)).status, 404)
  t.match((await one.ask('GET /v1/people/linked')).body.phones, [{ phone: '+3725550777', sources: ['whatsapp'] }])
  t.equal((await one.ask(`DELETE /v1/whatsapp/recipients/${number}`)).status, 200)
  t.equal((await one.ask(`DELETE /v1/whatsapp/recipients/${number}`)).status, 404)
  t.equal((await one.ask('GET /v1/people/linked')).status, 404)
})
