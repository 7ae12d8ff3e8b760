import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { verdicts } from '#sql/trust/watches.ts'
import { createSampleId, kind } from './kind.ts'

const Answer = z.strictObject({ message_id: Id, bot_id: Id, conversation_id: Id })

const { message_id: _, ...ofConversation } = Answer.shape

const Conversation = z.strictObject(ofConversation)

const conversation = { bot_id: createSampleId(51), conversation_id: createSampleId(52) }

const answer = { message_id: createSampleId(50), bot_id: createSampleId(51), conversation_id: createSampleId(52) }

export const bots = {
  'bots.answer.completed': kind(
    'A bot has answered.',
    Answer.extend({ finish_reason: z.string().nullable(), model: z.string().nullable() }),
    { ...answer, finish_reason: 'stop', model: 'small' },
  ),
  'bots.answer.failed': kind('A bot could not answer.', Answer.extend({ code: z.string(), retryable: z.boolean() }), {
    ...answer,
    code: 'upstream_error',
    retryable: true,
  }),
  'bots.conversation.handed_over': kind(
    'A conversation was transferred and is waiting for a person.',
    Conversation.extend({
      reason: z.enum(['asked', 'unanswered', 'requested', 'channel']),
      available: z.boolean().describe('False if the handover started outside the office hours of the bot'),
    }),
    { ...conversation, reason: 'asked', available: true },
  ),
  'bots.conversation.assigned': kind(
    'A conversation was assigned to a member, or to nobody.',
    Conversation.extend({
      assignee_id: Id.nullable().describe('ID of the member. `null` if nobody has the conversation.'),
      previous_assignee_id: Id.nullable(),
      reason: z
        .enum(['assigned', 'replied'])
        .describe('`assigned`: a person or a key assigned it. `replied`: the first reply assigned it.'),
    }),
    { ...conversation, assignee_id: createSampleId(58), previous_assignee_id: null, reason: 'replied' },
  ),
  'bots.conversation.labelled': kind(
    'The labels of a conversation have changed.',
    Conversation.extend({
      labels: z.array(z.string()).describe('Names of all labels of the conversation'),
      added: z.array(z.string()).describe('Names of new labels'),
      removed: z.array(z.string()).describe('Names of labels that the conversation no longer has'),
    }),
    { ...conversation, labels: ['Refund'], added: ['Refund'], removed: [] },
  ),
  'bots.conversation.contact_left': kind(
    'A visitor has left a name or an email address for the reply. Read both with the API.',
    Conversation,
    conversation,
  ),
  'bots.conversation.rated': kind(
    'A conversation was rated, or its rating was changed.',
    Conversation.extend({
      score: z.int().min(1).max(5),
      assignee_id: Id.nullable().describe('Last member who had the conversation'),
      commented: z.boolean().describe('True if the rating has a comment'),
      changed: z.boolean().describe('True if an earlier rating was changed'),
    }),
    { ...conversation, score: 5, assignee_id: createSampleId(58), commented: false, changed: false },
  ),
  'bots.conversation.replied': kind('A person has replied instead of the bot.', Answer, answer),
  'bots.channel.reply_refused': kind(
    'A reply could not be sent by the channel of its conversation. The message is stored, and `reason` says why it was not sent.',
    Answer.extend({ channel_id: Id, reason: z.string() }),
    { ...answer, channel_id: createSampleId(60), reason: 'window_closed' },
  ),
  'bots.conversation.returned': kind(
    'A person has ended their part of a conversation. The bot continues, or the conversation is closed.',
    Conversation.extend({ closed: z.boolean() }),
    { ...conversation, closed: false },
  ),
}

const Article = z.strictObject({ id: Id, slug: z.string(), language: z.string(), version: z.int() })

const article = { id: createSampleId(53), slug: 'the-bridge', language: 'en', version: 2 }

export const wiki = {
  'wiki.article.published': kind('A version of an article was published.', Article, article),
  'wiki.article.withdrawn': kind('An article was withdrawn.', Article.extend({ reason: z.string().nullable() }), {
    ...article,
    reason: 'The article is about another bridge.',
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
  first: z
    .boolean()
    .describe('True if this is the first import of the register. In this case, its companies are not listed.'),
  entries: z.int().describe('Number of companies or officers in the file'),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  changes: z
    .array(Company)
    .describe(
      'The first hundred companies. `GET /v1/erp/imports/{id}/changes` returns all companies. For officers, only their number is included.',
    ),
})

const CompanyChange = z.strictObject({
  watch_id: Id,
  jurisdiction: z.string(),
  code: z.string(),
  name: z.string().nullable(),
  note: z.string().nullable().describe('Your note of the watch'),
  register: z.string().describe('Register whose import changed the company'),
  changed_at: z.iso.datetime(),
  changes: z.array(
    z.strictObject({
      field: z.string().describe('Field of the company, such as `status` or `registered_address.city`'),
      before: z.unknown(),
      after: z.unknown(),
    }),
  ),
})

export const erp = {
  'erp.company.changed': kind('The registered data of a watched company has changed.', CompanyChange, {
    watch_id: createSampleId(58),
    jurisdiction: 'gb',
    code: '00000000',
    name: 'NEW LTD',
    note: 'our supplier',
    register: 'Companies House',
    changed_at: '2026-01-02T03:04:05.000Z',
    changes: [{ field: 'status', before: 'active', after: 'in_liquidation' }],
  }),
  'erp.register.changed': kind('A register was imported and has changed.', Register, {
    register: 'Companies House',
    import_id: createSampleId(57),
    first: false,
    entries: 5_600_000,
    added: 1,
    changed: 0,
    removed: 0,
    changes: [{ kind: 'added', jurisdiction: 'gb', code: '00000000', name: 'NEW LTD' }],
  }),
}

const Site = z.strictObject({ id: Id, name: z.string(), origins: z.array(z.string()) })

const site = { id: createSampleId(54), name: 'Shop', origins: ['https://shop.example.com'] }

export const guard = {
  'guard.site.created': kind('A site was created.', Site, site),
  'guard.site.changed': kind('The name, origins or policy of a site have changed.', Site, site),
  'guard.site.key_rotated': kind('A site has a new public key.', Site, site),
  'guard.site.deleted': kind('A site and its key were deleted.', z.strictObject({ id: Id }), { id: site.id }),
}

const Listing = z.strictObject({ id: Id, hostname: z.string(), policy: z.enum(['allow', 'deny']) })

const Verdict = z.enum(verdicts)

export const trust = {
  'trust.listing.set': kind('A host was allowed or denied.', Listing, {
    id: createSampleId(55),
    hostname: 'malware.example',
    policy: 'deny',
  }),
  'trust.listing.removed': kind('A listing was removed.', z.strictObject({ id: Id }), { id: createSampleId(55) }),
  'trust.watch.changed': kind(
    'The result for a watched URL has changed.',
    z.strictObject({
      id: Id,
      url: z.string(),
      verdict: Verdict,
      before: Verdict,
      categories: z.array(z.string()),
    }),
    {
      id: createSampleId(57),
      url: 'https://partner.example/downloads',
      verdict: 'malicious',
      before: 'unknown',
      categories: ['malware'],
    },
  ),
}
