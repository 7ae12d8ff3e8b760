import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { verified } from '../email/sending.ts'
import { everywhere, scopes } from '../people/people.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const only = ['app', 'account', 'people', 'notify', 'email', 'push', 'whatsapp', 'bots']
const { url } = await testIngress(t, db, [], { only, services: [secret] })

const user = 'ann <17>/ö'
const path = `/app/person/${encodeURIComponent(user)}`
const email = 'ann@rcpt.example'

async function scene() {
  const { org, keys } = await testOrg(db, scopes)
  const domain = `d${org.id.slice(-12)}.example`
  await verified(db, org.id, domain)
  const house = {
    ...{ orgId: org.id, domain, keys: { main: keys.main, reader: '', locked: '', test: '', stranger: '' } },
    ask: (request: string, body?: unknown) =>
      ask(url, request, { key: keys.main, ...(body !== undefined && { body }) }),
  }
  await everywhere(db, house, user, { email, phone: '+3725550123' })
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, house, developer, viewer }
}

const { org, house, developer, viewer } = await scene()
const stranger = (await scene()).viewer

t.test('a person is found by ID, address and number, and its page has all areas', async (t) => {
  for (const query of ['', `?user_id=${encodeURIComponent(user)}`, `?email=${email}`, '?phone=%2B3725550123']) {
    t.match((await get(url, `/app/people${query}`, viewer)).text, 'ann &lt;17&gt;/ö', query)
  }
  for (const query of ['?email=nobody@rcpt.example', '?email=ann@', '?phone=0372', '?phone=-']) {
    const { status, text } = await get(url, `/app/people${query}`, viewer)
    t.equal(status, 200, query)
    t.match(text, 'No person matches.', query)
  }
  t.match((await get(url, '/app/people?phone=%2B372+555-0123', viewer)).text, 'ann &lt;17&gt;/ö')
  const { text } = await get(url, path, developer)
  for (const word of [email, '+3725550123', 'sse', 'Marketing email', 'Hello', 'On its way', 'Question']) {
    t.match(text, word)
  }
  const found = await get(url, `/app/find.json?q=${encodeURIComponent(email)}`, viewer)
  t.match(found.text, encodeURIComponent(encodeURIComponent(user)).slice(0, 3))
  t.match(found.text, 'Person')
  t.equal((await get(url, '/app/person/nobody', viewer)).status, 404)
  t.match((await toldOf(db, org.id, developer, /^contents/))[0], { after: { kind: 'person' } })
})

t.test('members who may not read contents see no titles, and may not change or erase', async (t) => {
  const { text } = await get(url, path, viewer)
  t.match(text, 'Received email')
  for (const hidden of ['On its way', 'Question', 'Where is my order', '/consent"', '/erase"']) t.notMatch(text, hidden)
  t.notMatch((await get(url, `${path}?kind=email`, viewer)).text, 'Hello')
  t.match((await get(url, `${path}?kind=email`, developer)).text, 'Hello')
  t.equal((await submit(url, `${path}/consent`, viewer, { push: 'denied', source: 'x' })).status, 403)
  t.equal((await submit(url, `${path}/erase`, viewer, {})).status, 403)
})

t.test('a member changes consent and erases a person, and the receipt has each table', async (t) => {
  const bad = await submit(url, `${path}/consent`, developer, { push: 'denied', source: '' })
  t.equal(bad.status, 400)
  t.match(bad.text, 'id="source-fault"')
  const saved = await submit(url, `${path}/consent`, developer, { email: '', push: 'denied', source: 'letter' })
  t.equal(saved.status, 303)
  t.match((await get(url, path, viewer)).text, 'letter')
  const erased = await submit(url, `${path}/erase`, developer, { reason: 'asked' })
  t.equal(erased.status, 303)
  const receipt = erased.headers.get('location') as string
  t.match((await get(url, receipt, viewer)).text, 'asked')
  t.match((await get(url, '/app/people/erasures', viewer)).text, receipt)
  t.equal((await get(url, receipt, stranger)).status, 404)
  t.match((await house.ask('GET /v1/people/erasures')).body.data, [{ user_id: user, reason: 'asked' }])
})
