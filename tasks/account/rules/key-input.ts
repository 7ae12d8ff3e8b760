import { z } from 'zod'
import { parseAmount } from '#lib/amount.ts'
import { withoutControl } from '#lib/characters.ts'
import { toDomain } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import { Network } from '#lib/network/network.ts'
import { Origin } from '#lib/network/origin.ts'
import { operatorScope } from '#lib/tokens.ts'
import { Mode } from '#sql/account/keys.ts'
import { type Scope, scopes } from './scopes.ts'

const text = (most: number) =>
  z.string().trim().min(1).max(most).regex(withoutControl, 'must not contain control characters')

export const grantable = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== operatorScope)

export const publicScopes: readonly Scope[] = ['bots:chat', 'guard:challenge', 'push:receipt', 'push:subscribe']

const DomainName = z
  .string()
  .max(253)
  .transform((name, ctx) => {
    const domain = toDomain(name)
    if (domain?.includes('.')) return domain
    ctx.addIssue('must be a domain')
    return z.NEVER
  })

const unique = <T>(values: T[]): T[] => [...new Set(values)]

export const LocksInput = z
  .strictObject({
    from_domains: z.array(DomainName).min(1).max(100).overwrite(unique).optional(),
    app_id: Id.optional(),
    site_id: Id.optional(),
    origins: z.array(Origin).min(1).max(100).overwrite(unique).optional(),
    tenant_id: text(200).optional(),
    calls: z.literal(false).optional().describe('`false`: the key cannot place or end calls'),
  })
  .describe('Restrictions of the key. An omitted lock restricts nothing.')

/** Amount of money, in billionths after parsing. */
const Amount = z.string().transform((text, ctx) => {
  const amount = parseAmount(text)
  if (amount !== undefined) return amount
  ctx.addIssue('must be a decimal from 0 to 9007199 with up to 9 places, such as 12.50')
  return z.NEVER
})

const Budget = z
  .strictObject({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as USD')
      .describe('Currency of the prices of the models'),
    monthly: Amount.optional().describe('Budget per calendar month in UTC'),
    daily: Amount.optional().describe('Budget per day in UTC'),
  })
  .refine(({ monthly, daily }) => monthly !== undefined || daily !== undefined, 'must have `monthly` or `daily`')

export const AiInput = z
  .strictObject({
    models: z
      .array(text(200))
      .max(64)
      .overwrite(unique)
      .optional()
      .describe('Models that the key can use. `default` stands for the operator’s choice. Default: all models.'),
    budget: Budget.optional().describe('Budget in money for AI requests. Models without a price are rejected.'),
  })
  .refine(({ models, budget }) => models !== undefined || budget !== undefined, 'must have `models` or `budget`')

const settings = {
  name: text(100).describe('Purpose of the key'),
  note: text(500).nullable().optional(),
  expires_at: InstantInput.transform((at) => new Date(at))
    .refine((at) => at.getTime() > Date.now(), 'must be in the future')
    .nullable()
    .optional()
    .describe('Expiry time. Default: never.'),
  rate_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .optional()
    .describe('Requests per minute, in addition to the limit of the plan'),
  networks: z
    .array(Network)
    .min(1)
    .max(100)
    .transform(unique)
    .nullable()
    .optional()
    .describe('IP addresses and CIDR ranges from which the key works'),
  ai: AiInput.nullable()
    .optional()
    .describe('AI limits. They also apply to keys that the key creates. `null`: no limits of its own.'),
}

export const NewKeyInput = z.strictObject({
  ...settings,
  scopes: z.array(z.enum(grantable)).min(1).max(grantable.length).overwrite(unique),
  locks: LocksInput.optional(),
  mode: Mode.optional().describe(
    'Default: the mode of the calling key. A `test` key records messages and does not deliver them. `live`: messages are delivered.',
  ),
  public: z
    .boolean()
    .optional()
    .describe(
      `\`true\` for a key in a web page. Scopes: ${publicScopes.join(', ')}. The key must be locked to one site or app, or to origins.`,
    ),
})

/** Changes of a key. Omitted fields are not changed. */
export const KeyChangeInput = z
  .strictObject({ ...settings, name: settings.name.optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must contain at least one change')

export const RotationInput = z.strictObject({
  keep_hours: z.int().min(0).max(168).default(24).describe('Hours until the previous secret expires'),
  from: z
    .enum(['now', 'first_use'])
    .default('now')
    .describe('Start of this period: `now`, or the first use of the new secret (`first_use`)'),
})
