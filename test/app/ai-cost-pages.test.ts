import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import * as costs from '#sql/ai/costs.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'ai'] })

t.test('AI limits of a key are set, shown with their usage, changed and removed', async (t) => {
  const { org } = await testOrg(db, [])
  const [owner, viewer] = [await signedIn(db, url, org.id, 'owner'), await signedIn(db, url, org.id, 'viewer')]
  const form = { name: 'agent', mode: 'test', scopes: 'ai:invoke' }
  const wrong = await submit(url, '/app/keys/new', owner, { ...form, ai_monthly: '1,5', ai_currency: 'dollars' })
  t.equal(wrong.status, 400)
  t.match(wrong.text, 'id="ai_monthly-fault"')
  t.match(wrong.text, 'id="ai_currency-fault"')
  t.match(wrong.text, 'value="1,5"')
  const ai = { ai_models: 'gpt-4o, default', ai_monthly: '25.50', ai_currency: 'eur', ai_daily: '' }
  const made = await submit(url, '/app/keys/new', owner, { ...form, ...ai })
  t.equal(made.status, 200)
  const [key] = await keys.list(db, org.id).then((all) => all.filter(({ name }) => name === 'agent'))
  const id = key?.id ?? ''
  t.same(key?.ai, { models: ['gpt-4o', 'default'], budget: { currency: 'EUR', monthly: 25_500_000_000 } })
  await costs.add(db, {
    ...{ org_id: org.id, key_id: id, model: 'm<1>', operation: 'completion', currency: 'EUR', cost: 1_250_000_000 },
    ...{ prompt_tokens: 10, cached_tokens: 0, completion_tokens: 5 },
  })
  const page = await get(url, `/app/keys/${id}`, viewer)
  t.match(page.text, /AI models.*gpt-4o, default.*AI budget this month.*1\.25 of 25\.5 EUR used/s)
  const change = `/app/keys/${id}/change`
  t.match((await get(url, change, owner)).text, 'value="25.5"')
  const fields = { name: 'agent', note: '', expires_at: '', rate_per_minute: '', networks: '' }
  const none = { ai_models: '', ai_monthly: '', ai_currency: 'EUR', ai_daily: '' }
  t.equal((await submit(url, change, owner, { ...fields, ...none })).status, 303)
  t.equal((await keys.find(db, org.id, id))?.ai, null)
})

t.test('the cost page shows cost by model, key and day, and unknown prices', async (t) => {
  const { org, keys: given } = await testOrg(db, ['ai:invoke'])
  const viewer = await signedIn(db, url, org.id, 'viewer')
  t.match((await get(url, '/app/models/costs', viewer)).text, 'No requests this month')
  const [key] = await keys.list(db, org.id)
  t.ok(given.main)
  const tokens = { prompt_tokens: 10, cached_tokens: 0, completion_tokens: 5, operation: 'completion', org_id: org.id }
  await costs.add(db, { ...tokens, key_id: key?.id ?? null, model: 'm<1>', currency: 'USD', cost: 1 })
  await costs.add(db, { ...tokens, key_id: null, model: 'other', currency: null, cost: null })
  const { text } = await get(url, '/app/models/costs', viewer)
  t.match(text, /m&lt;1&gt;.*0\.000000001 USD.*other.*unknown/s)
  t.match(text, 'Without a key')
  t.match(text, `/app/keys/${key?.id}`)
  t.match((await get(url, '/app/models', viewer)).text, '/app/models/costs')
})
