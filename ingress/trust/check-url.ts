import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { outboundFaults } from '#lib/network/address-guard.ts'
import { verdicts } from '#sql/trust/watches.ts'
import { NotStartedInTimeError } from '#tasks/queue/ask.ts'
import { type Expansion, expand, type Hop } from '#tasks/trust/expand.ts'
import { type Readings, readUrl } from '#tasks/trust/rules/read-url.ts'
import type { Questions } from '../http/questions.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import { UrlText } from './check-urls.ts'
import { type CheckTools, checkUrls, combinePolicies, createCheckTools, Policy, type UrlResult } from './judge-urls.ts'
import { Judgement } from './judgement.ts'

const expandMs = 12_000

const faults = [...outboundFaults, 'busy', 'failed'] as const

const HopView = Judgement.extend({
  policy: Policy.describe('Policy in your lists for the host'),
  status: z.number().nullable().describe('HTTP status of the response. `null` if the URL could not be requested.'),
  by: z.enum(['location', 'meta_refresh']).nullable().describe('Type of the redirect to the next URL'),
})

export const UrlCheck = Judgement.extend({
  policy: Policy.describe(
    'Policy in your lists for the host and, with `expand`, for all hops: `deny` if at least one host is denied, `allow` if all are allowed. The policy does not affect the verdict.',
  ),
  hops: z
    .array(HopView)
    .nullable()
    .describe('With `expand`: all URLs in the redirect chain, starting with the given URL'),
  expansion: z
    .object({
      complete: z.boolean().describe('True if all redirects were followed'),
      fault: z
        .enum(faults)
        .nullable()
        .describe(
          'Reason why not all redirects were followed. `busy`: Millrace had no capacity. Send the request again.',
        ),
    })
    .nullable()
    .describe('With `expand`: result of following the redirects'),
})

export const check = route({
  method: 'POST',
  path: '/check-url',
  repeatable: true,
  summary: 'Check a URL',
  description:
    'Returns the feeds that list the URL, the age of each feed, and suspicious signs of the URL. With `expand`, up to five redirects are followed, and the verdict is the worst of all URLs.',
  tool: { name: 'check_url', reads: true, reachesOut: true },
  scope: 'trust:read',
  body: z.strictObject({
    url: UrlText,
    expand: z
      .boolean()
      .default(false)
      .describe('True to follow redirects and check each URL. Takes up to 12 s. Default: `false`.'),
  }),
  status: 200,
  reply: UrlCheck,
  example: { body: { url: 'http://malware.example/dropper.exe', expand: false } },
  async handle({ body, db, org, services }) {
    const readings = readUrl(body.url)
    if (!readings)
      throw badRequest([{ field: 'body.url', issue: 'must be a URL with a host and the scheme http, https or ftp' }])
    const tools = createCheckTools(db, services)
    const [[first], way] = await Promise.all([
      checkUrls(tools, org.id, [readings]),
      body.expand ? follow(services(questions), body.url, readings, org.id) : null,
    ])
    if (!first) throw new Error('A URL that was read has no result.')
    if (!way) return { ...first, hops: null, expansion: null }
    const judged = way.hops.map(({ url }, at) => (at === 0 ? first : judgeUrl(tools, org.id, url)))
    const hops = (await Promise.all(judged)).map((one, at) => ({ ...one, ...pick(way.hops[at]) }))
    const { verdict } = hops.reduce((worst, hop) => (rank(hop) > rank(worst) ? hop : worst))
    const categories = [...new Set(hops.flatMap((hop) => hop.categories))].sort()
    const expansion = { complete: way.fault === null, fault: way.fault }
    return { ...first, policy: combinePolicies(hops.map(({ policy }) => policy)), verdict, categories, hops, expansion }
  },
})

async function judgeUrl(tools: CheckTools, orgId: string, url: string): Promise<UrlResult> {
  const readings = readUrl(url)
  const [judged] = readings ? await checkUrls(tools, orgId, [readings]) : []
  return judged ?? unreadable(url)
}

const pick = (hop?: Hop) => ({ status: hop?.status ?? null, by: hop?.by ?? null })

const rank = ({ verdict }: UrlResult) => verdicts.indexOf(verdict)

type RedirectChain = Omit<Expansion, 'fault'> & { fault: (typeof faults)[number] | null }

/** Lets a worker follow the redirects. If there is no result in time, the URL itself is the only hop. */
async function follow(asked: Questions, text: string, { browsers }: Readings, orgId: string): Promise<RedirectChain> {
  const url = browsers?.href ?? text
  const alone = (fault: RedirectChain['fault']): RedirectChain => ({ hops: [{ url, status: null, by: null }], fault })
  if (!browsers) return alone('bad_url')
  try {
    return await asked.ask(expand, { url, orgId }, { timeout: expandMs, orgId })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error instanceof NotStartedInTimeError) return alone('busy')
    return alone(error.status === 504 ? 'timed_out' : 'failed')
  }
}

/** Returns the result for a hop whose URL is not on the web, for example the URL of an app. */
const unreadable = (url: string): UrlResult => ({
  url: url.slice(0, 8_192),
  verdict: 'suspicious',
  categories: [],
  sources: [],
  disagreement: null,
  degraded: false,
  policy: null,
  reasons: [
    { code: 'no_web_url', detail: 'The redirect target is not a URL with a host and the scheme http, https or ftp.' },
  ],
})
