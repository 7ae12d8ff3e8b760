import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as prices from '#sql/ai/prices.ts'
import * as settings from '#sql/ai/settings.ts'
import { sql } from '#sql/db.ts'
import { json, says } from '../support/model-server.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { db, ingress, ask, main, backup, renew, orgId } = await gatewayStack(t)
t.beforeEach(() => renew())

const whole = 1_000_000_000
const messages = [{ role: 'user', content: 'a bird' }]
const path = 'POST /v1/ai/chat/completions'
const setPrice = (model: string, price: Partial<prices.PriceRow> = {}) =>
  prices.add(db, {
    ...{ model, currency: 'USD', input: 2 * whole, cached_input: null, output: 10 * whole, minute: null },
    ...price,
    created_by: 'test',
  })
const costs = async (query = '') => (await ask(`GET /v1/ai/costs${query}`)).body.data
await setPrice('the-model')

t.test('a completion costs what its tokens cost, and nothing changes when the price changes', async (t) => {
  await ask(path, { body: { model: 'gpt-4o', messages } })
  t.match(await costs(), [{ name: 'the-model', currency: 'USD', cost: '0.000048', requests: 1, prompt_tokens: 9 }])
})
