import { z } from 'zod'
import { readUrls } from '#tasks/trust/rules/read-url.ts'
import { route } from '../http/route.ts'
import { checkTools, judgeUrls, Policy } from './judge-urls.ts'
import { Judgement } from './judgement.ts'

/** URLs of one request. */
export const mostUrls = 100

/** Requests that a process answers at once, and those of one organisation: a hundred long URLs take 0.2 s and 20 MB. */
const atOnce = { requests: 8, ofOne: 4 }

/** A URL as requests have it. */
export const UrlText = z.string().trim().min(1).max(8_192)

/** `POST /v1/trust/check-urls` */
export const check = route({
  method: 'POST',
  path: '/check-urls',
  repeatable: true,
  summary: 'Check what is known of up to 100 URLs',
  description:
    'Answers in the order of the question, duplicates included; one that is no URL of the web fails alone. Redirects are not followed.',
  scope: 'trust:read',
  atOnce,
  body: z.strictObject({ urls: z.array(UrlText).min(1).max(mostUrls) }),
  status: 200,
  reply: z.object({
    results: z.array(
      Judgement.extend({ policy: Policy.describe('What your own lists say of its host') })
        .partial()
        .extend({
          asked: z.string().describe('The URL as it was given'),
          status: z.enum(['ok', 'invalid']).describe('`invalid`: no URL with http, https or ftp and a host'),
        }),
    ),
    count: z.int(),
  }),
  example: { body: { urls: ['http://malware.example/dropper.exe', 'https://harmless.example/'] } },
  async handle({ body, db, org, services }) {
    const read = await readUrls(body.urls)
    const readable = read.flatMap((readings) => readings ?? [])
    const judged = (await judgeUrls(checkTools(db, services), org.id, readable)).values()
    const results = body.urls.map((asked, i) =>
      read[i] ? { asked, status: 'ok' as const, ...judged.next().value } : { asked, status: 'invalid' as const },
    )
    return { results, count: results.length }
  },
})
