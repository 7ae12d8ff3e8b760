import { config } from '#lib/config.ts'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { readTelephoneNumber, type TelephoneNumber } from '#lib/telephone-number.ts'
import type { Db } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import * as numbers from '#sql/voice/numbers.ts'
import * as rules from '#sql/voice/rules.ts'

interface CallRequest {
  from: string
  to: string
  caller_id?: string | undefined
}

interface Caller {
  orgId: string
  keyId: string
}

/**
 * Returns the numbers for a call. Throws 400 with every invalid number, 403 for countries that are not allowed, and 429
 * if a limit is reached.
 */
export async function checkCall(db: Db, caller: Caller, wanted: CallRequest) {
  const { rule, callerId, ...numbers } = await allowedNumbers(db, caller, wanted)
  await demandCallCapacity(db, caller, rule)
  return { ...numbers, callerId }
}

/** A fictional number that no telephone has. If the organisation has no number, test calls use this one. */
const fictional: TelephoneNumber = { number: '+12025550100', country: 'US', type: 'local' }

/**
 * Returns the numbers for a call of a test key. The organisation needs no number, and the call does not count towards
 * limits.
 */
export async function checkTestCall(db: Db, caller: Caller, wanted: CallRequest) {
  const { rule: _, ...numbers } = await allowedNumbers(db, caller, wanted, fictional)
  return numbers
}

async function allowedNumbers(db: Db, { orgId, keyId }: Caller, wanted: CallRequest, otherwise?: TelephoneNumber) {
  const faults: Fault[] = []
  const read = (field: 'from' | 'to') => {
    const found = readTelephoneNumber(wanted[field])
    if (typeof found !== 'string') return found
    faults.push({ field: `body.${field}`, issue: found })
    return undefined
  }
  const [from, to] = [read('from'), read('to')]
  if (from && to && from.number === to.number)
    faults.push({ field: 'body.to', issue: 'must not be the same number as `from`' })
  const own = await numbers.findActive(db, orgId, wanted.caller_id?.trim())
  const shared = own ? undefined : sharedNumber(wanted.caller_id?.trim())
  const made = wanted.caller_id === undefined ? otherwise : undefined
  if (!own && !shared && !made) {
    const issue =
      wanted.caller_id === undefined
        ? 'is required: the organisation has no number. Ask your operator for one.'
        : 'must be an active number of the organisation'
    faults.push({ field: 'body.caller_id', issue })
  }
  const callerId = (own ?? shared ?? made)?.number
  if (faults.length > 0 || !from || !to || !callerId) throw badRequest(faults)
  const rule = await rules.findRules(db, orgId, keyId)
  const isMade = !own && !shared
  await demandCountries(db, { orgId, shared: shared?.country, any: isMade }, rule, { from, to })
  return { from: from.number, to: to.number, callerId, rule }
}

function sharedNumber(wanted: string | undefined): TelephoneNumber | undefined {
  const shared = config.SIP_SHARED_NUMBER
  if (shared === undefined || (wanted !== undefined && wanted !== shared)) return undefined
  const read = readTelephoneNumber(shared)
  return typeof read === 'string' ? undefined : read
}

type RulesOf = Awaited<ReturnType<typeof rules.findRules>>

async function demandCountries(
  db: Db,
  { orgId, shared, any }: { orgId: string; shared: string | undefined; any: boolean },
  { org, key }: RulesOf,
  wanted: Record<'from' | 'to', TelephoneNumber>,
): Promise<void> {
  const usual = config.VOICE_COUNTRIES.length > 0 ? config.VOICE_COUNTRIES : undefined
  // An organisation without a number has no countries, so only rules limit its test calls.
  const own = shared ? [shared] : any ? undefined : await numbers.countries(db, orgId)
  const allowed = org?.countries ?? usual ?? own
  const refused = Object.entries(wanted).filter(
    ([, { country }]) =>
      (allowed && !allowed.includes(country)) || (key?.countries && !key.countries.includes(country)),
  )
  if (refused.length === 0) return
  const details = refused.map(([field, { country }]) => ({
    field: `body.${field}`,
    issue: `must be in an allowed country. Calls to ${country} are not allowed.`,
  }))
  throw new Problem(403, 'forbidden', details.map(({ field, issue }) => `${field}: ${issue}`).join('; '), { details })
}

/** Throws 429 if the limit of concurrent calls or of calls in 24 hours is reached. */
async function demandCallCapacity(db: Db, { orgId, keyId }: Caller, { org, key }: RulesOf): Promise<void> {
  const used = await calls.usage(db, orgId, keyId)
  const caps = [
    {
      used: used.open,
      most: org?.max_concurrent ?? config.VOICE_MAX_CONCURRENT,
      of: 'the organisation',
      at: 'at the same time',
      wait: 5,
    },
    { used: used.key_open, most: key?.max_concurrent, of: 'the key', at: 'at the same time', wait: 5 },
    {
      used: used.day,
      most: org?.max_per_day ?? config.VOICE_MAX_PER_DAY,
      of: 'the organisation',
      at: 'in 24 hours',
      wait: 600,
    },
    { used: used.key_day, most: key?.max_per_day, of: 'the key', at: 'in 24 hours', wait: 600 },
  ]
  const full = caps.find(({ used, most }) => typeof most === 'number' && used >= most)
  if (!full) return
  const message = `The limit of ${full.most} calls for ${full.of} ${full.at} has been reached. \`Retry-After\` contains the number of seconds to wait.`
  throw new Problem(429, 'rate_limited', message, { retryAfter: full.wait })
}
