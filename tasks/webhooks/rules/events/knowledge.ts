import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { DocumentCheck, DocumentFacts, UnreadReason } from '#sql/identity/readings.ts'
import { verdicts } from '#sql/trust/watches.ts'
import { kind, sampleId, sampleTime, Time } from './kind.ts'

const Answer = z.strictObject({ message_id: Id, bot_id: Id, conversation_id: Id })

const { message_id: _, ...ofConversation } = Answer.shape

const Conversation = z.strictObject(ofConversation)

const conversation = { bot_id: sampleId(51), conversation_id: sampleId(52) }

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
  'bots.conversation.handed_over': kind(
    'A conversation waits for a person.',
    Conversation.extend({ reason: z.enum(['asked', 'unanswered', 'requested']) }),
    { ...conversation, reason: 'asked' },
  ),
  'bots.conversation.replied': kind('A person has answered in a bot’s place.', Answer, answer),
  'bots.conversation.returned': kind(
    'A person handles a conversation no more: the bot does again, or it is closed.',
    Conversation.extend({ closed: z.boolean() }),
    { ...conversation, closed: false },
  ),
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

const Company = z.strictObject({
  kind: z.enum(['added', 'changed', 'removed']),
  jurisdiction: z.string(),
  code: z.string(),
  name: z.string().nullable(),
})

const Register = z.strictObject({
  register: z.string(),
  import_id: Id,
  first: z.boolean().describe('Whether the register was not known before: its companies are then not listed'),
  entries: z.int().describe('Companies, or officers, that its file has'),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  changes: z
    .array(Company)
    .describe(
      'The first hundred companies; `GET /v1/erp/imports/{id}/changes` has all of them. Officers are counted alone',
    ),
})

/** What the company registry tells of. */
export const erp = {
  'erp.register.changed': kind('A register has been imported, and is not what it was.', Register, {
    register: 'Companies House',
    import_id: sampleId(57),
    first: false,
    entries: 5_600_000,
    added: 1,
    changed: 0,
    removed: 0,
    changes: [{ kind: 'added', jurisdiction: 'gb', code: '00000000', name: 'NEW LTD' }],
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

const Verdict = z.enum(verdicts)

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

const Document = z.strictObject({
  status: z.enum(['waiting', 'read', 'unread']),
  reason: UnreadReason.nullable().describe('Why nothing was read'),
  format: DocumentFacts.shape.format.nullable(),
  failed_checks: z.array(DocumentCheck.shape.check).describe('Of its machine-readable lines'),
  expired: z.boolean().nullable(),
  shared_with: z.int().describe('Other subjects who have handed in the same document'),
})

const document: z.input<typeof Document> = {
  status: 'read',
  reason: null,
  format: 'TD3',
  failed_checks: [],
  expired: false,
  shared_with: 0,
}

/** What identity tells of. */
export const identity = {
  'identity.check.decided': kind(
    'It was decided whether a subject meets a requirement, with the reasons; told once of each decision.',
    Check.omit({ reason_code: true, reason: true }).extend({
      decision_id: Id,
      status: z.enum(['verified', 'rejected']),
      reasons: z.array(z.strictObject({ code: z.string(), reason: z.string() })),
      document: Document.nullable().describe('What was read on the document, if one was handed in'),
    }),
    {
      id: check.id,
      decision_id: sampleId(57),
      subject: check.subject,
      requirement: check.requirement,
      status: 'rejected',
      method: 'operator',
      expires_at: null,
      reasons: [{ code: 'document_expired', reason: 'It ended in May.' }],
      document: { ...document, expired: true },
    },
  ),
  'identity.document.read': kind(
    'The machine-readable lines of a document that was handed in were read, or cannot be; the facts themselves are told to who asks for them.',
    Document.extend({ id: Id, object_id: Id, subject: z.string() }),
    { ...document, id: sampleId(58), object_id: sampleId(59), subject: 'ada' },
  ),
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
