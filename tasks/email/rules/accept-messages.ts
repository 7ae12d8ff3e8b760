import { config } from '#lib/config.ts'
import { domainOf } from '#lib/email-address.ts'
import type { Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as asking from '#sql/email/asking.ts'
import * as events from '#sql/email/contact-events.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import type * as messages from '#sql/email/messages.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import * as suppressions from '#sql/email/suppressions.ts'
import * as templates from '#sql/email/templates.ts'
import * as usage from '#sql/email/usage.ts'
import { type MessageInput, partsOf } from './message-parts.ts'
import { type NewMail, recordMessages } from './record-messages.ts'
import { type Refusal, refusalOfDomain, refusalOfLock, refusalOfRecipient, refusalOfRepeat } from './stream-rules.ts'

/** A message that an organisation wants sent; addresses in the form of lib/email-address. */
export interface MessageRequest extends MessageInput {
  orgId: string
  keyId: string | null
  /** Recorded, never delivered, in no rate and no usage. */
  sandbox: boolean
  /** Domains that the key is locked to. */
  fromDomains: readonly string[] | undefined
  stream: messages.Stream
  from: { email: string; name?: string | undefined }
  to: string
  /** The page on which the recipient of a message confirms, by the message's id; the stream `repermission` needs it. */
  confirmUrl?: (messageId: string) => string
  replyTo?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  attachments?: readonly contents.Attachment[] | undefined
}

/** What came of a message that was wanted: its row, or why there is none. */
export type AcceptResult =
  | { message: Pick<messages.Message, 'id' | 'stream' | 'message_id' | 'status'> }
  | { refusal: Refusal }
  | { faults: Fault[] }
  | { overCap: true }
  | { sandboxFull: true }

/** Records messages, many at a time, and has delivered what may be: few statements, however many there are. */
export async function acceptMessages(tx: Db, wanted: readonly MessageRequest[]): Promise<readonly AcceptResult[]> {
  const known = await lookUp(tx, wanted)
  const results = wanted.map((one) => judge(one, known))
  const counted = results.filter((one) => 'draft' in one && isCounted(one.draft)) as DraftedMessage[]
  const refused = new Set(await overCap(tx, counted))
  const unkept = new Set(
    await withoutRoom(tx, results.filter((one) => 'draft' in one && one.draft.row.sandbox) as DraftedMessage[]),
  )
  const drafts = results.flatMap((one) => ('draft' in one && !refused.has(one) && !unkept.has(one) ? [one.draft] : []))
  await insert(tx, drafts)
  await noteAsked(tx, drafts)
  return results.map((one) => {
    if (!('draft' in one)) return one
    if (unkept.has(one)) return { sandboxFull: true }
    return refused.has(one) ? { overCap: true } : { message: { ...one.draft.row, status: one.draft.end ?? 'queued' } }
  })
}

/** A message about to be recorded, and what it says. */
interface Draft extends NewMail {
  content: Omit<contents.Content, 'created_at'>
}

interface DraftedMessage {
  draft: Draft
}

/** Whether a message asks a contact to confirm, and really does. */
const asks = ({ row, end }: Draft) => row.stream === 'repermission' && !row.sandbox && end === undefined

/** Writes down who is asked to confirm, as a round does (tasks/email/reconfirm). */
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

/** All that the rules ask for. */
async function lookUp(tx: Db, wanted: readonly MessageRequest[]) {
  const senders = wanted.map(({ orgId, from }) => ({ org_id: orgId, domain: domainOf(from.email) }))
  const recipients = wanted.map(({ orgId, to }) => ({ org_id: orgId, email: to }))
  const templated = wanted.flatMap(({ orgId, templateId }) => (templateId ? [{ org_id: orgId, id: templateId }] : []))
  const marketing = wanted.filter(({ stream }) => stream === 'subscribed' || stream === 'repermission')
  // Until the commit, so that two requests at once ask nobody twice.
  await asking.lock(
    tx,
    unique(
      wanted.flatMap(({ stream, orgId, to }) => (stream === 'repermission' ? [{ org_id: orgId, email: to }] : [])),
    ),
  )
  const [tried, real] = [true, false].map((sandbox) => recipients.filter((_, i) => wanted[i]?.sandbox === sandbox))
  const foundContacts = await contacts.findMany(tx, unique(real ?? []))
  const sandboxContacts = await contacts.findMany(tx, unique(tried ?? []), true)
  const foundSuppressions = await suppressions.findMany(tx, unique(recipients))
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
    paused: await pausedOf(tx, marketing),
    /** Who is asked to confirm by a message before in this transaction. */
    asked: new Set<string>(),
  }
}

const pausedOf = async (tx: Db, marketing: readonly MessageRequest[]): Promise<ReadonlySet<string>> =>
  marketing.length === 0
    ? new Set<string>()
    : await reputation.pausedAmong(
        tx,
        marketing.map(({ orgId }) => orgId),
      )

const keyOf = (orgId: string, name: string) => `${orgId} ${name}`

const unique = <T extends object>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [Object.values(row).join(' '), row])).values(),
]

/** Stands for the domain of a message that is only recorded, when there is none. */
const noDomain = '00000000-0000-0000-0000-000000000000'

function judge(wanted: MessageRequest, known: SendFacts): DraftedMessage | { refusal: Refusal } | { faults: Fault[] } {
  const { orgId, from, to, sandbox } = wanted
  const name = domainOf(from.email)
  const domain = known.domains.get(keyOf(orgId, name)) ?? (name === known.shared?.domain ? known.shared : undefined)
  const contact = (sandbox ? known.sandboxContacts : known.contacts).get(keyOf(orgId, to))
  const refusal =
    refusalOfLock(name, wanted.fromDomains) ??
    // What is recorded alone needs no domain: whoever begins tries messages out before DNS.
    (sandbox ? undefined : refusalOfDomain(name, domain, wanted.fromDomains)) ??
    refusalOfAddressee(wanted, contact, known)
  if (refusal) return { refusal }
  const id = newId()
  const parts = partsOf(wanted, known.templates.get(keyOf(orgId, wanted.templateId ?? '')), confirmUrlOf(wanted, id))
  if ('faults' in parts) return parts
  const draft = draftOf(wanted, known, {
    id,
    domainId: domain?.id ?? noDomain,
    contactId: contact?.id ?? null,
    ...parts,
  })
  if (asks(draft)) known.asked.add(keyOf(orgId, to))
  return { draft }
}

/** What of a message is looked up or made for it. */
interface MessageParts extends Pick<contents.Content, 'html' | 'text'> {
  id: string
  domainId: string
  contactId: string | null
  subject: string
}

function draftOf(
  wanted: MessageRequest,
  known: SendFacts,
  { id, domainId, contactId, subject, html, text }: MessageParts,
): Draft {
  const { orgId, from, to, stream, sandbox } = wanted
  const held = known.suppressions.get(keyOf(orgId, to))?.find(({ reason }) => suppressions.holdsFor(reason, stream))
  const row: messages.NewMessage = {
    id,
    org_id: orgId,
    key_id: wanted.keyId,
    sandbox,
    stream,
    domain_id: domainId,
    from_email: from.email,
    from_name: from.name ?? null,
    to_email: to,
    subject,
    content_id: newId(),
    campaign_id: null,
    contact_id: contactId,
    template_id: wanted.templateId ?? null,
    message_id: `${id}@${domainOf(from.email)}`,
    status: 'queued',
    reason: null,
  }
  const content = {
    id: row.content_id,
    org_id: orgId,
    html,
    text,
    reply_to: wanted.replyTo ?? null,
    headers: { ...wanted.headers },
    attachments: [...(wanted.attachments ?? [])],
  }
  const end = held ? 'suppressed' : sandbox && !isSimulated(to) ? 'sent' : undefined
  const bytes = sandbox ? Buffer.byteLength(JSON.stringify(content)) : 0
  return { row, content, end, reason: held && reasonOf(held), bytes }
}

/** Why the one a message is to is not written to. */
function refusalOfAddressee(
  { orgId, to, stream }: MessageRequest,
  contact: contacts.Contact | undefined,
  known: SendFacts,
) {
  const askedAt = known.asked.has(keyOf(orgId, to)) ? new Date() : contact?.asked_at
  return refusalOfRecipient(stream, contact, known.paused.has(orgId)) ?? refusalOfRepeat(stream, askedAt)
}

/** Where the recipient of a message that asks confirms; undefined for all other messages. */
function confirmUrlOf({ stream, confirmUrl }: MessageRequest, id: string): string | undefined {
  if (stream !== 'repermission') return undefined
  if (!confirmUrl) throw new Error('A message that asks to confirm has no page to confirm on.')
  return confirmUrl(id)
}

const reasonOf = ({ reason, detail }: suppressions.Suppression) =>
  `The address is on the suppression list: ${reason}${detail ? `, ${detail}` : ''}.`

/** Takes from the plans what messages count, and returns those for which nothing is left; a code or a link to log in always goes. */
async function overCap(tx: Db, counted: readonly DraftedMessage[]): Promise<readonly DraftedMessage[]> {
  const byOrg = [...Map.groupBy(counted, ({ draft }) => draft.row.org_id)].map(([org_id, drafts]) => ({
    org_id,
    capped: drafts.filter(({ draft }) => draft.row.stream !== 'security'),
    all: drafts.length,
  }))
  const wanted = byOrg.map(({ org_id, capped, all }) => ({
    org_id,
    messages: capped.length,
    uncapped: all - capped.length,
  }))
  const granted = await usage.take(tx, wanted)
  return byOrg.flatMap(({ org_id, capped }) => capped.slice(granted.get(org_id) ?? 0))
}

/** Those for which their sandbox has no room left. */
async function withoutRoom(tx: Db, tried: readonly DraftedMessage[]): Promise<readonly DraftedMessage[]> {
  const unkept: DraftedMessage[] = []
  const byOrg = [...Map.groupBy(tried, ({ draft }) => draft.row.org_id)]
  // In one order, so that two groups with organisations in common wait instead of deadlocking.
  for (const [orgId, drafts] of byOrg.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const room = await sandboxes.lockRoom(tx, orgId)
    for (const one of drafts) {
      const { bytes = 0 } = one.draft
      if (room.messages < 1 || room.bytes < bytes) unkept.push(one)
      else {
        room.messages--
        room.bytes -= bytes
      }
    }
  }
  return unkept
}

async function insert(tx: Db, drafts: readonly Draft[]): Promise<void> {
  await contents.insertMany(
    tx,
    drafts.map(({ content }) => content),
  )
  await recordMessages(tx, drafts)
}
