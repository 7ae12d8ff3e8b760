import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { kind, sampleId, sampleTime, Time } from './kind.ts'

const Answer = z.strictObject({ message_id: Id, bot_id: Id, conversation_id: Id })

const answer = { message_id: sampleId(50), bot_id: sampleId(51), conversation_id: sampleId(52) }

/** What bots tell of. */
export const bots = {
  'bots.answer.completed': kind(
    'A bot has answered.',
    Answer.extend({ finish_reason: z.string().nullable(), model: z.string().nullable() }),
    { ...answer, finish_reason: 'stop', model: 'small' },
  ),
  'bots.answer.failed': kind('A bot has no answer.', Answer.extend({ code: z.string(), retryable: z.boolean() }), {
    ...answer,
    code: 'upstream_error',
    retryable: true,
  }),
}

const Article = z.strictObject({ id: Id, slug: z.string(), language: z.string(), version: z.int() })

const article = { id: sampleId(53), slug: 'the-bridge', language: 'en', version: 2 }

/** What the wiki tells of. */
export const wiki = {
  'wiki.article.published': kind('Readers see a version of an article.', Article, article),
  'wiki.article.withdrawn': kind('Readers see an article no more.', Article.extend({ reason: z.string().nullable() }), {
    ...article,
    reason: 'It is about another bridge.',
  }),
}

const Site = z.strictObject({ id: Id, name: z.string(), origins: z.array(z.string()) })

const site = { id: sampleId(54), name: 'Shop', origins: ['https://shop.example.com'] }

/** What guard tells of. */
export const guard = {
  'guard.site.created': kind('A site was made.', Site, site),
  'guard.site.changed': kind('A site’s name, origins or policy were changed.', Site, site),
  'guard.site.key_rotated': kind('A site has another public key.', Site, site),
  'guard.site.deleted': kind('A site and its key are gone.', z.strictObject({ id: Id }), { id: site.id }),
}

const Listing = z.strictObject({ id: Id, hostname: z.string(), policy: z.enum(['allow', 'deny']) })

const Verdict = z.enum(['unknown', 'suspicious', 'malicious'])

/** What trust tells of. */
export const trust = {
  'trust.listing.set': kind('A host is allowed or denied.', Listing, {
    id: sampleId(55),
    hostname: 'malware.example',
    policy: 'deny',
  }),
  'trust.listing.removed': kind('A listing was taken back.', z.strictObject({ id: Id }), { id: sampleId(55) }),
  'trust.watch.changed': kind(
    'What is known of a watched URL is something else.',
    z.strictObject({
      id: Id,
      url: z.string(),
      verdict: Verdict,
      before: Verdict,
      categories: z.array(z.string()),
    }),
    {
      id: sampleId(57),
      url: 'https://partner.example/downloads',
      verdict: 'malicious',
      before: 'unknown',
      categories: ['malware'],
    },
  ),
}

const Check = z.strictObject({
  id: Id,
  subject: z.string(),
  requirement: z.string(),
  status: z.enum(['submitted', 'verified', 'rejected']),
  method: z.string().describe('How it is known'),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  expires_at: Time.nullable(),
})

const check: z.input<typeof Check> = {
  id: sampleId(56),
  subject: 'ada',
  requirement: 'identity_document',
  status: 'submitted',
  method: 'upload',
  reason_code: null,
  reason: null,
  expires_at: null,
}

/** What identity tells of. */
export const identity = {
  'identity.check.submitted': kind('Somebody has handed in what a requirement asks for.', Check, check),
  'identity.check.verified': kind('A subject meets a requirement.', Check, {
    ...check,
    status: 'verified',
    method: 'operator',
    expires_at: sampleTime,
  }),
  'identity.check.rejected': kind('What a subject handed in does not do.', Check, {
    ...check,
    status: 'rejected',
    method: 'operator',
    reason_code: 'unreadable',
    reason: 'The picture is too dark.',
  }),
}
