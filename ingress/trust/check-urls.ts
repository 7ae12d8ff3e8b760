import { z } from 'zod'
import { readUrls } from '#tasks/trust/rules/read-url.ts'
import { route } from '../http/route.ts'
import { checkUrls, createCheckTools, Policy } from './judge-urls.ts'
import { Judgement } from './judgement.ts'

export const mostUrls = 100

/**
 * Maximum number of concurrent requests of a process, and of one organisation in this process. A hundred long URLs take
 * 0.2 s and 20 MB.
 */
const atOnce = { requests: 8, ofOne: 4 }

export const UrlText = z.string().trim().min(1).max(8_192)

export const check = route({
  method: 'POST',
  path: '/check-urls',
  repeatable: true,
  summary: 'Check up to 100 URLs',
  description:
    'Results are in the order of the request, including duplicates. An invalid URL affects only its own result. Redirects are not followed.',
  scope: 'trust:read',
  atOnce,
  body: z.strictObject({ urls: z.array(UrlText).min(1).max(mostUrls) }),
  status: 200,
  reply: z.object({
    results: z.array(
      Judgement.extend({ policy: Policy.describe('Policy in your lists for the host') })
        .partial()
        .extend({
          asked: z.string().describe('URL as given in the request'),
          status: z
            .enum(['ok', 'invalid'])
            .describe('`invalid`: not a URL with a host and the scheme `http`, `https` or `ftp`'),
        }),
    ),
    count: z.int(),
  }),
  example: { body: { urls: ['http://malware.example/dropper.exe', 'https://harmless.example/'] } },
  async handle({ body, db, org, services }) {
    const read = await readUrls(body.urls)
    const readable = read.flatMap((readings) => readings ?? [])
    const judged = (await checkUrls(createCheckTools(db, services), org.id, readable)).values()
    const results = body.urls.map((asked, i) =>
      read[i] ? { asked, status: 'ok' as const, ...judged.next().value } : { asked, status: 'invalid' as const },
    )
    return { results, count: results.length }
  },
})
