import type { KeyAi } from '#sql/account/keys.ts'
import * as keys from '#sql/account/keys.ts'
import * as prices from '#sql/ai/prices.ts'
import type { Ask, TestScope } from '../support/ingress.ts'
import { type GatewayStack, gatewayStack } from './gateway-stack.ts'

/** Billionths of 1. */
export const unit = 1_000_000_000

/** The gateway with keys and prices. The test servers count 9 input and 3 output tokens. */
export interface MoneyStack extends GatewayStack {
  /** Adds a price: 2 and 10 USD per million tokens, unless `price` has others. */
  setPrice(model: string, price?: Partial<prices.PriceRow>): Promise<boolean>
  /** Returns a key of the organisation. */
  limited(ai: KeyAi | null, more?: Partial<keys.NewKey>): Promise<keys.Key & { secret: string }>
  /** Sends a request as a key with all scopes of the account. */
  admin(request: string, options?: Ask): ReturnType<GatewayStack['ask']>
  /** Returns costs of the organisation. */
  costs(query?: string): Promise<Record<string, unknown>[]>
}

export async function moneyStack(t: TestScope): Promise<MoneyStack> {
  const stack = await gatewayStack(t)
  const { db, orgId, ingress } = stack
  let count = 0
  const limited: MoneyStack['limited'] = (ai, more = {}) =>
    keys.create(db, { orgId, prefix: 'bt_live_', name: `key ${count++}`, scopes: ['ai:invoke'], ai, ...more })
  const scopes = ['ai:invoke', 'account:read', 'account:write', 'account:keys']
  const { secret } = await limited(null, { scopes })
  const admin: MoneyStack['admin'] = (request, options) => ingress.ask(request, { key: secret, ...options })
  return {
    ...stack,
    limited,
    admin,
    setPrice: (model, price = {}) =>
      prices.add(db, {
        ...{ model, currency: 'USD', input: 2 * unit, cached_input: null, output: 10 * unit, minute: null },
        ...price,
        created_by: 'test',
      }),
    costs: async (query = '') => (await admin(`GET /v1/ai/costs${query}`)).body.data,
  }
}
