import { config } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import type { Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as asking from '#sql/email/contacts/asking.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as domains from '#sql/email/domains.ts'
import type * as messages from '#sql/email/messages.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as templates from '#sql/email/templates.ts'
import * as usage from '#sql/email/usage.ts'
import { findTopics, judgeTopic } from './consent/judge-topic.ts'
import {
  getDomainRefusal,
  getLockRefusal,
  getRecipientRefusal,
  getRepeatRefusal,
  type Refusal,
} from './consent/stream-rules.ts'
import { type Addressing, createDrafts, type Draft, type DraftedMessage, listRecipients } from './draft-messages.ts'
import type { MessageInput, Parts } from './message-parts.ts'
import { recordMessages } from './record-messages.ts'
import { getParts } from './request-parts.ts'

export interface MessageRequest extends Omit<MessageInput, 'template_id'>, Addressing {
  fromDomains: readonly string[] | undefined
  /** Parts of a message that is resent. They are not rendered again, and the template may be deleted. */
  resent?: (messageId: string) => Parts | { faults: Fault[] }
  /** Alias of the template. `prerenderMessages` resolves it. */
  template?: string | undefined
  /** True if variables that the template does not name are ignored. */
  hasMoreVariables?: true
  /** Parts that were rendered before, and the message ID that they contain. See `prerenderMessages`. */
  rendered?: Parts | { faults: Fault[] } | undefined
  id?: string | undefined
  /** Returns the confirmation URL of a message. Required for the stream `repermission`. */
  confirmUrl?: (messageId: string) => string
  /** Returns the unsubscribe URL of a message. Used for placeholders in marketing. */
  unsubscribeUrl?: (messageId: string) => string
  /** True if the recipient has asked for the confirmation request, so that an earlier request does not matter. */
  isRequested?: boolean
}

export type AcceptedRecipient = Pick<messages.Message, 'id' | 'status'> & {
  to: string
  recipient: messages.RecipientKind
}

export type AcceptedMessage = Pick<messages.Message, 'id' | 'stream' | 'message_id' | 'status'> & {
  sendAt: Date | undefined
  copies: readonly AcceptedRecipient[]
}

export type AcceptResult =
  | { message: AcceptedMessage }
  | { refusal: Refusal }
  | { faults: Fault[] }
  | { overCap: true }
  | { sandboxFull: true }

/** Stores many messages and enqueues their delivery, with few statements. */
export async function acceptMessages(tx: Db, wanted: readonly MessageRequest[]): Promise<readonly AcceptResult[]> {
  const known = await lookUp(tx, wanted)
  const results = wanted.map((one) => judge(one, known))
  const drafted = results.filter((one) => 'drafts' in one)
  const refused = new Set(await overCap(tx, drafted))
  const unkept = new Set(
    await withoutRoom(
      tx,
      drafted.filter(({ drafts: [first] }) => first.row.sandbox),
    ),
  )
  const kept = drafted.filter((one) => !refused.has(one) && !unkept.has(one))
  await insert(tx, kept)
  await noteAsked(
    tx,
    kept.flatMap(({ drafts }) => drafts),
  )
  return results.map((one) => {
    if (!('drafts' in one)) return one
    if (unkept.has(one)) return { sandboxFull: true }
    return refused.has(one) ? { overCap: true } : { message: acceptedOf(one) }
  })
}

const statusOf = ({ row, end }: Draft): messages.Status => end ?? row.status

function acceptedOf({ drafts: [first, ...copies], sendAt }: DraftedMessage): AcceptedMessage {
  const { id, stream, message_id } = first.row
  return {
    id,
    stream,
    message_id,
    status: statusOf(first),
    sendAt,
    copies: copies.map((copy) => {
      const { id, to_email: to, recipient = 'to' } = copy.row
      return { id, to, recipient, status: statusOf(copy) }
    }),
  }
}

const asks = ({ row, end }: Draft) => row.stream === 'repermission' && !row.sandbox && end === undefined

async function noteAsked(tx: Db, drafts: readonly Draft[]): Promise<void> {
  const asked = drafts.filter(asks).flatMap(({ row: { id, org_id, contact_id } }) => {
    const about = { kind: 'asked' as const, source: 'api' as const, message_id: id, detail: null }
    return contact_id === null ? [] : [{ org_id, contact_id, ...about }]
  })
  await asking.setAsked(
    tx,
    asked.map(({ contact_id }) => contact_id),
  )
  await events.insertMany(tx, asked)
}

const isCounted = ({ row, end }: Draft) => !row.sandbox && end === undefined

type SendFacts = Awaited<ReturnType<typeof lookUp>>

async function lookUp(tx: Db, wanted: readonly MessageRequest[]) {
  const senders = wanted.map(({ message: { org_id }, from }) => ({ org_id, domain: getDomain(from.email) }))
  const recipientsOf = (of: readonly MessageRequest[]) =>
    unique(of.flatMap((one) => listRecipients(one).map(({ email }) => ({ org_id: one.message.org_id, email }))))
  const templated = wanted.flatMap(({ message: { org_id, template_id } }) =>
    template_id ? [{ org_id, id: template_id }] : [],
  )
  const marketing = wanted.filter(({ message: { stream } }) => stream === 'subscribed' || stream === 'repermission')
  // Locked until the commit, so that concurrent requests do not ask the same contact twice.
  await asking.lock(
    tx,
    unique(
      wanted.flatMap(({ message: { stream, org_id }, to }) =>
        stream === 'repermission' ? [{ org_id, email: to }] : [],
      ),
    ),
  )
  const [tried, real] = [
    wanted.filter(({ message }) => message.sandbox),
    wanted.filter(({ message }) => !message.sandbox),
  ]
  const foundContacts = await contacts.findMany(tx, recipientsOf(real))
  const sandboxContacts = await contacts.findMany(tx, recipientsOf(tried), true)
  const foundSuppressions = await suppressions.findMany(tx, recipientsOf(wanted))
  const foundDomains = await domains.findMany(tx, unique(senders))
  const shared = config.MAIL_SHARED_DOMAIN
  const isShared = shared !== undefined && senders.some(({ domain }) => domain === shared)
  return {
    shared: isShared ? await domains.findShared(tx, shared) : null,
    domains: new Map(foundDomains.map((one) => [keyOf(one.org_id, one.domain), one])),
    contacts: new Map(foundContacts.map((one) => [keyOf(one.org_id, one.email), one])),
    sandboxContacts: new Map(sandboxContacts.map((one) => [keyOf(one.org_id, one.email), one])),
    suppressions: Map.groupBy(foundSuppressions, ({ org_id, email }) => keyOf(org_id, email)),
    templates: new Map((await templates.findMany(tx, templated)).map((one) => [keyOf(one.org_id, one.id), one])),
    topics: await findTopics(
      tx,
      wanted.map(({ message }) => message),
    ),
    paused: await pausedOf(tx, marketing),
    asked: new Set<string>(),
  }
}

const pausedOf = async (tx: Db, marketing: readonly MessageRequest[]): Promise<ReadonlySet<string>> =>
  marketing.length === 0
    ? new Set<string>()
    : await reputation.pausedAmong(
        tx,
        marketing.map(({ message }) => message.org_id),
      )

const keyOf = (orgId: string, name: string) => `${orgId} ${name}`

const unique = <T extends object>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [Object.values(row).join(' '), row])).values(),
]

/** Domain ID of a test message without a domain. */
const noDomain = '00000000-0000-0000-0000-000000000000'

const findDomain = (known: SendFacts, orgId: string, name: string) =>
  known.domains.get(keyOf(orgId, name)) ?? (name === known.shared?.domain ? known.shared : undefined)

function judge(wanted: MessageRequest, known: SendFacts): DraftedMessage | { refusal: Refusal } | { faults: Fault[] } {
  const { from, to } = wanted
  const { org_id: orgId, sandbox, stream, template_id } = wanted.message
  const name = getDomain(from.email)
  const domain = findDomain(known, orgId, name)
  const contactOf = (email: string) => (sandbox ? known.sandboxContacts : known.contacts).get(keyOf(orgId, email))
  const refusal =
    getLockRefusal(name, wanted.fromDomains) ??
    // Test messages need no domain, so that developers can try the API before they set up DNS.
    (sandbox ? undefined : getDomainRefusal(name, domain, wanted.fromDomains)) ??
    refusalOfAddressee(wanted, contactOf(to), known)
  if (refusal) return { refusal }
  const unwanted = judgeTopic(known.topics, wanted.message, contactOf(to), wanted.resent !== undefined)
  if (unwanted) return unwanted
  const id = wanted.id ?? newId()
  const template = known.templates.get(keyOf(orgId, template_id ?? ''))
  const parts = wanted.resent?.(id) ?? getParts(wanted, template, contactOf(to), id)
  if ('faults' in parts) return parts
  const drafted = createDrafts(wanted, {
    id,
    domainId: domain?.id ?? noDomain,
    contactOf,
    heldBy: (email) =>
      known.suppressions.get(keyOf(orgId, email))?.find(({ reason }) => suppressions.appliesTo(reason, stream)),
    ...parts,
  })
  if (asks(drafted.drafts[0])) known.asked.add(keyOf(orgId, to))
  return drafted
}

function refusalOfAddressee(
  { message: { org_id: orgId, stream }, to, isRequested }: MessageRequest,
  contact: contacts.Contact | undefined,
  known: SendFacts,
) {
  const askedAt = known.asked.has(keyOf(orgId, to)) ? new Date() : contact?.asked_at
  const repeated = isRequested ? undefined : getRepeatRefusal(stream, askedAt)
  return getRecipientRefusal(stream, contact, known.paused.has(orgId)) ?? repeated
}

/**
 * Counts the messages against the plans and returns the messages that exceed them. `security` messages are never
 * rejected.
 */
async function overCap(tx: Db, drafted: readonly DraftedMessage[]): Promise<readonly DraftedMessage[]> {
  const weightOf = ({ drafts }: DraftedMessage) => drafts.filter(isCounted).length
  const counted = drafted.filter((one) => weightOf(one) > 0)
  const sum = (of: readonly DraftedMessage[]) => of.reduce((total, one) => total + weightOf(one), 0)
  const byOrg = [...Map.groupBy(counted, ({ drafts: [{ row }] }) => row.org_id)].map(([org_id, all]) => {
    const capped = all.filter(({ drafts: [{ row }] }) => row.stream !== 'security')
    return { org_id, capped, messages: sum(capped), uncapped: sum(all) - sum(capped) }
  })
  const granted = await usage.take(
    tx,
    byOrg.map(({ org_id, messages, uncapped }) => ({ org_id, messages, uncapped })),
  )
  const refused: DraftedMessage[] = []
  const left = byOrg.flatMap(({ org_id, capped }) => {
    let room = granted.get(org_id) ?? 0
    for (const one of capped) {
      if (weightOf(one) > room) refused.push(one)
      else room -= weightOf(one)
    }
    return Array.from({ length: room }, () => ({ org_id, created_at: new Date() }))
  })
  // Gives back the count for messages whose copies exceed the limit.
  await usage.giveBack(tx, left)
  return refused
}

async function withoutRoom(tx: Db, tried: readonly DraftedMessage[]): Promise<readonly DraftedMessage[]> {
  const unkept: DraftedMessage[] = []
  const byOrg = [...Map.groupBy(tried, ({ drafts: [{ row }] }) => row.org_id)]
  // In a fixed order, so that groups with common organisations wait instead of deadlocking.
  for (const [orgId, all] of byOrg.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const room = await sandboxes.lockRoom(tx, orgId)
    for (const one of all) {
      const { length } = one.drafts
      const { bytes = 0 } = one.drafts[0]
      if (room.messages < length || room.bytes < bytes) unkept.push(one)
      else {
        room.messages -= length
        room.bytes -= bytes
      }
    }
  }
  return unkept
}

async function insert(tx: Db, kept: readonly DraftedMessage[]): Promise<void> {
  await contents.insertMany(
    tx,
    kept.map(({ content }) => content),
  )
  await recordMessages(
    tx,
    kept.flatMap(({ drafts }) => drafts),
  )
}
