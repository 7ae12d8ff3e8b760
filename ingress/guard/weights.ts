import type { Reason, Signals } from '#sql/guard/assessments.ts'
import { type Policy, type Tier, tiers } from '#sql/guard/sites.ts'
import type { SubjectKind, Traffic } from '#sql/guard/visitors.ts'
import type { AddressListing } from './address-listings.ts'

export interface AttemptFacts {
  traffic: Partial<Record<SubjectKind, Pick<Traffic, 'requests' | 'failures' | 'usual'>>>
  /** Signals of the web page. Undefined if the page sent none. */
  signals: Signals | undefined
  listed: AddressListing
}

/** Decision about the visitor. `deny` requires traffic, failures and signals together. */
export interface AssessmentResult {
  decision: 'allow' | 'challenge' | 'deny'
  tier: Tier | null
  score: number
  reasons: Reason[]
}

const steps: readonly [score: number, tier: Tier][] = [
  [70, 'extreme'],
  [40, 'high'],
  [15, 'normal'],
  [0, 'low'],
]

/**
 * Minimum score for `deny`. Request rates alone do not reach this score (45 + 25 + 15), because many people can share
 * an IP address.
 */
const denied = 90

/** Returns `per` for each doubling of `value` beyond `from`, up to `most`. */
const doublings = (value: number, from: number, per: number, most: number): number =>
  value <= from ? 0 : Math.min(most, Math.round(Math.log2(value / from) * per))

const whole = (value: number): string => String(Math.round(value))

/** Returns the reasons with their weights and numbers. The guide contains the same table. */
function weigh({ traffic: { address, subnet, site }, signals, listed }: AttemptFacts, rate: number): Reason[] {
  const usualPerMinute = Math.max(20, (site?.usual ?? 0) / 60)
  const [mine, around, all] = [address?.requests ?? 0, subnet?.requests ?? 0, site?.requests ?? 0]
  const [wrong, wrongAround] = [address?.failures ?? 0, subnet?.failures ?? 0]
  return [
    [
      'address_rate',
      doublings(mine, rate, 15, 45),
      `${whole(mine)} requests from this address in about one minute. Up to ${rate} add nothing.`,
    ],
    [
      'subnet_rate',
      doublings(around, 4 * rate, 10, 25),
      `${whole(around)} requests from the subnet of this address in about one minute. Up to ${4 * rate} add nothing.`,
    ],
    [
      'address_failures',
      wrong < 0.5 ? 0 : Math.min(45, Math.round(15 * wrong)),
      `${whole(wrong)} wrong answers from this address in about ten minutes.`,
    ],
    [
      'subnet_failures',
      doublings(wrongAround, 4, 8, 20),
      `${whole(wrongAround)} wrong answers from the subnet of this address.`,
    ],
    [
      'site_load',
      doublings(all, 3 * usualPerMinute, 5, 15),
      `${whole(all)} requests for the site in about one minute. ${whole(usualPerMinute)} are usual.`,
    ],
    ['listed', listed.lists.length > 0 ? 30 : 0, `The address is listed in ${listed.lists.join(', ')}.`],
    ['denied_by_you', listed.policy === 'deny' ? 100 : 0, 'A list of your organisation denies the address.'],
    ['allowed_by_you', listed.policy === 'allow' ? -100 : 0, 'A list of your organisation allows the address.'],
    ...claims(signals),
  ].flatMap(([code, weight, detail]) => (weight ? [{ code, weight, detail } as Reason] : []))
}

function claims(signals: Signals | undefined): [code: string, weight: number, detail: string][] {
  if (!signals || Object.keys(signals).length === 0) return [['no_signals', 10, 'The page sent no signals.']]
  const { webdriver, languages, interactions, ms_on_page } = signals
  return [
    ['webdriver', webdriver ? 30 : 0, 'The browser is automated.'],
    ['no_languages', languages === 0 ? 10 : 0, 'The browser lists no languages.'],
    ['no_interaction', interactions === 0 ? 5 : 0, 'The visitor has not used the page.'],
    [
      'hurry',
      ms_on_page !== undefined && ms_on_page < 500 ? 5 : 0,
      'The page has been open for less than half a second.',
    ],
  ]
}

const rank = (tier: Tier) => tiers.indexOf(tier)

/** Assesses an attempt within a site’s policy. The score is the sum of the weights, 0 to 100. */
export function assess(
  seen: AttemptFacts,
  policy: Pick<Policy, 'min_tier' | 'max_tier' | 'rate_per_minute'>,
): AssessmentResult {
  const reasons = weigh(seen, policy.rate_per_minute).sort((a, b) => b.weight - a.weight)
  const sum = reasons.reduce((total, { weight }) => total + weight, 0)
  const score = Math.max(0, Math.min(100, sum))
  if (score >= denied) return { decision: 'deny', tier: null, score, reasons }
  const fitting = steps.find(([from]) => score >= from)?.[1] ?? 'low'
  const place = Math.min(rank(policy.max_tier), Math.max(rank(policy.min_tier), rank(fitting)))
  return { decision: score < 15 ? 'allow' : 'challenge', tier: tiers[place] ?? policy.min_tier, score, reasons }
}
