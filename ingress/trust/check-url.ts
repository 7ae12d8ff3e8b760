import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as listings from '#sql/trust/listings.ts'
import { type Expansion, expand } from '#tasks/trust/expand.ts'
import type { Questions } from '../http/questions.ts'
import { route } from '../http/route.ts'
import { questions } from '../http/services.ts'
import type { Readings } from './heuristics.ts'
import { Judgement, judge, verdicts } from './judge.ts'
import { readUrl } from './read-url.ts'

/** Milliseconds that a client who wants redirects followed waits for a worker. */
const expandMs = 12_000

const HopView = Judgement.extend({
  status: z.number().nullable().describe('What it answered; null when it could not be asked'),
  by: z.enum(['location', 'meta_refresh']).nullable().describe('How it leads on'),
})

const Checked = Judgement.extend({
  policy: z
    .enum(['allow', 'deny'])
    .nullable()
    .describe('What your own lists say of its host; the verdict is without it'),
  hops: z.array(HopView).nullable().describe('With `expand`: each URL on the way, the one that was given first'),
  expansion: z
    .object({ complete: z.boolean(), fault: z.string().nullable() })
    .nullable()
    .describe('Whether the way was followed to its end, and why not'),
})

/** `POST /v1/trust/check-url` */
export const check = route({
  method: 'POST',
  path: '/check-url',
  repeatable: true,
  summary: 'Check what is known of a URL',
  description:
    'Says which feeds of threats list the URL, how fresh each is, and what is odd about it. With `expand`, redirects are followed (five at most), and the verdict is the worst of all on the way.',
  scope: 'trust:read',
  body: z.strictObject({
    url: z.string().trim().min(1).max(8_192),
    expand: z.boolean().default(false).describe('Follow its redirects and judge each; takes up to 12 s'),
  }),
  status: 200,
  reply: Checked,
  example: { body: { url: 'http://malware.example/dropper.exe', expand: false } },
  async handle({ body, db, org, services }) {
    const readings = readUrl(body.url)
    if (!readings) throw badRequest([{ field: 'body.url', issue: 'is no URL with http, https or ftp and a host' }])
    const asked = services(questions)
    const [policy, judged, way] = await Promise.all([
      listings.listed(db, org.id, readings.canonical.host),
      judge(db, asked, readings),
      body.expand ? follow(asked, readings, org.id) : null,
    ])
    const facts = { policy: policy?.policy ?? null, hops: null, expansion: null }
    if (!way) return { ...judged, ...facts }
    const hops = await judgeAll(db, asked, judged, way)
    const { verdict } = hops.reduce((worst, hop) => (rank(hop) > rank(worst) ? hop : worst))
    const categories = [...new Set(hops.flatMap((hop) => hop.categories))].sort()
    const expansion = { complete: way.fault === null, fault: way.fault }
    return { ...judged, ...facts, verdict, categories, hops, expansion }
  },
})

const rank = ({ verdict }: Judgement) => verdicts.indexOf(verdict)

type Way = Omit<Expansion, 'fault'> & { fault: string | null }

/** Has a worker follow the redirects; without one in time, the way is the URL alone. */
async function follow(asked: Questions, { browsers: { href: url } }: Readings, orgId: string): Promise<Way> {
  try {
    return await asked.ask(expand, { url }, { timeout: expandMs, orgId })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { hops: [{ url, status: null, by: null }], fault: error.status === 504 ? 'timed_out' : 'failed' }
  }
}

/** Judges each hop; the first is judged already. */
async function judgeAll(db: DatabasePool, asked: Questions, first: Judgement, { hops }: Way) {
  return await Promise.all(
    hops.map(async ({ url, status, by }, at) => {
      const readings = at === 0 ? undefined : readUrl(url)
      const judged = at === 0 ? first : readings ? await judge(db, asked, readings) : unreadable(url)
      return { ...judged, status, by }
    }),
  )
}

/** What is said of a hop that leads out of the web, as to an app. */
const unreadable = (url: string): Judgement => ({
  ...{
    url: url.slice(0, 8_192),
    verdict: 'suspicious',
    categories: [],
    sources: [],
    disagreement: null,
    degraded: false,
  },
  reasons: [{ code: 'no_web_url', detail: 'It leads to what is no URL with http, https or ftp and a host.' }],
})
