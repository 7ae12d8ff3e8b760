import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { verdicts } from '#sql/trust/watches.ts'
import { confirmHashes } from '#tasks/trust/confirm-hashes.ts'
import type { Confirm } from '#tasks/trust/rules/sources.ts'
import { Instant } from '../http/instant.ts'
import type { Questions } from '../http/questions.ts'

const SourceView = z.object({
  name: z.string(),
  kind: z.enum(['list', 'urlhaus', 'safe_browsing']),
  listed: z.boolean().nullable().describe('`null` if the feed was never imported or its provider did not respond'),
  categories: z.array(z.string()),
  matched: z.string().nullable().describe('Listed part of the URL: a host with a path'),
  detail: z.string().nullable(),
  first_seen: Instant.nullable(),
  entries: z.number(),
  age_seconds: z.number().nullable().describe('Seconds since the feed was last confirmed as current'),
  stale: z.boolean(),
})

/** Schema of verdicts, worst last. None of them means that a URL is safe. */
export const VerdictView = z
  .enum(verdicts)
  .describe('`malicious`: listed by a current feed. `unknown` does not mean `safe`.')

export const Judgement = z.object({
  url: z.string().describe('URL in the canonical form of Safe Browsing'),
  verdict: VerdictView,
  categories: z.array(z.string()),
  reasons: z.array(z.object({ code: z.string(), detail: z.string() })).describe('Reasons why the URL is suspicious'),
  sources: z.array(SourceView),
  disagreement: z
    .object({ listed_by: z.array(z.string()), not_listed_by: z.array(z.string()) })
    .nullable()
    .describe('Set if some sources list the URL and other current sources do not'),
  degraded: z.boolean().describe('True if a source is stale or could not be checked, or if there is none'),
})

/** Lets a worker query a feed’s provider. The timeout is 5 s. */
export const createConfirm =
  (questions: Questions): Confirm =>
  async (url, prefixes) => {
    try {
      return await questions.ask(confirmHashes, { url, prefixes }, { timeout: 5_000 })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return null
    }
  }
