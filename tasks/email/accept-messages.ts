import { domainOf } from '#lib/email-address.ts'
import type { Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { placeholdersOf, render } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import type * as messages from '#sql/email/messages.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as suppressions from '#sql/email/suppressions.ts'
import * as templates from '#sql/email/templates.ts'
import * as usage from '#sql/email/usage.ts'
import { type NewMail, recordMessages } from './record-messages.ts'
import { type Refusal, refusalOfDomain, refusalOfRecipient } from './stream-rules.ts'

/** A message that an organisation wants sent; addresses in the form of lib/email-address. */
export interface WantedMessage {
  orgId: string
  keyId: string | null
  /** Recorded, never delivered, in no rate and no usage. */
  sandbox: boolean
  /** Domains that the key is locked to. */
  fromDomains: readonly string[] | undefined
  stream: messages.Stream
  from: { email: string; name?: string | undefined }
  to: string
  subject?: string | undefined
  html?: string | undefined
  text?: string | undefined
  templateId?: string | undefined
  variables?: Readonly<Record<string, unknown>> | undefined
  replyTo?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  attachments?: readonly contents.Attachment[] | undefined
}

/** What came of a message that was wanted: its row, or why there is none. */
export type Accepted =
  | { message: Pick<messages.Message, 'id' | 'stream' | 'message_id' | 'status'> }
  | { refusal: Refusal }
  | { faults: Fault[] }
  | { overCap: true }
  | { sandboxFull: true }

/** Records messages, many at a time, and has delivered what may be: few statements, however many there are. */
export async function acceptMessages(tx: Db, wanted: readonly WantedMessage[]): Promise<readonly Accepted[]> {
  const known = await lookUp(tx, wanted)
  const results = wanted.map((one) => judge(one, known))
  const counted = results.filter((one) => 'draft' in one && isCounted(one.draft)) as Drafted[]
  const refused = new Set(await overCap(tx, counted))
  const unkept = new Set(
    await withoutRoom(tx, results.filter((one) => 'draft' in one && one.draft.row.sandbox) as Drafted[]),
  )
  const drafts = results.flatMap((one) => ('draft' in one && !refused.has(one) && !unkept.has(one) ? [one.draft] : []))
  await insert(tx, drafts)
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

interface Drafted {
  draft: Draft
}

const isCounted = ({ row, end }: Draft) => !row.sandbox && end === undefined

type Known = Awaited<ReturnType<typeof lookUp>>

/** All that the rules ask for. */
async function lookUp(tx: Db, wanted: readonly WantedMessage[]) {
  const senders = wanted.map(({ orgId, from }) => ({ org_id: orgId, domain: domainOf(from.email) }))
  const recipients = wanted.map(({ orgId, to }) => ({ org_id: orgId, email: to }))
  const templated = wanted.flatMap(({ orgId, templateId }) => (templateId ? [{ org_id: orgId, id: templateId }] : []))
  const marketing = wanted.filter(({ stream }) => stream === 'subscribed').map(({ orgId }) => orgId)
  const [tried, real] = [true, false].map((sandbox) => recipients.filter((_, i) => wanted[i]?.sandbox === sandbox))
  const foundContacts = await contacts.findMany(tx, unique(real ?? []))
  const sandboxContacts = await contacts.findMany(tx, unique(tried ?? []), true)
  const foundSuppressions = await suppressions.findMany(tx, unique(recipients))
  const foundDomains = await domains.findMany(tx, unique(senders))
  return {
    domains: new Map(foundDomains.map((one) => [keyOf(one.org_id, one.domain), one])),
    contacts: new Map(foundContacts.map((one) => [keyOf(one.org_id, one.email), one])),
    sandboxContacts: new Map(sandboxContacts.map((one) => [keyOf(one.org_id, one.email), one])),
    suppressions: Map.groupBy(foundSuppressions, ({ org_id, email }) => keyOf(org_id, email)),
    templates: new Map((await templates.findMany(tx, templated)).map((one) => [keyOf(one.org_id, one.id), one])),
    paused: marketing.length > 0 ? await reputation.pausedAmong(tx, marketing) : new Set<string>(),
  }
}

const keyOf = (orgId: string, name: string) => `${orgId} ${name}`

const unique = <T extends object>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [Object.values(row).join(' '), row])).values(),
]

function judge(wanted: WantedMessage, known: Known): Drafted | { refusal: Refusal } | { faults: Fault[] } {
  const { orgId, from, to, stream, sandbox } = wanted
  const name = domainOf(from.email)
  const domain = known.domains.get(keyOf(orgId, name))
  const contact = (sandbox ? known.sandboxContacts : known.contacts).get(keyOf(orgId, to))
  const refusal =
    refusalOfDomain(name, domain, wanted.fromDomains) ?? refusalOfRecipient(stream, contact, known.paused.has(orgId))
  if (refusal || !domain) return { refusal: refusal as Refusal }
  const parts = partsOf(wanted, known)
  if ('faults' in parts) return parts
  const held = known.suppressions.get(keyOf(orgId, to))?.find(({ reason }) => suppressions.holdsFor(reason, stream))
  const id = newId()
  const row: messages.NewMessage = {
    ...{ id, org_id: orgId, key_id: wanted.keyId, sandbox, stream },
    ...{ domain_id: domain.id, from_email: from.email, from_name: from.name ?? null, to_email: to },
    ...{ subject: parts.subject, content_id: newId(), campaign_id: null, contact_id: contact?.id ?? null },
    ...{ template_id: wanted.templateId ?? null, message_id: `${id}@${name}`, status: 'queued', reason: null },
  }
  const content = {
    ...{ id: row.content_id, org_id: orgId, html: parts.html, text: parts.text, reply_to: wanted.replyTo ?? null },
    ...{ headers: { ...wanted.headers }, attachments: [...(wanted.attachments ?? [])] },
  }
  const end = held ? 'suppressed' : sandbox ? 'sent' : undefined
  const bytes = sandbox ? Buffer.byteLength(JSON.stringify(content)) : 0
  return { draft: { row, content, end, reason: held && reasonOf(held), bytes } }
}

const reasonOf = ({ reason, detail }: suppressions.Suppression) =>
  `The address is on the suppression list: ${reason}${detail ? `, ${detail}` : ''}.`

type Parts = Pick<contents.Content, 'html' | 'text'> & { subject: string }

/** What a message says: as it is given, and what is not as its template says it. */
function partsOf(wanted: WantedMessage, known: Known): Parts | { faults: Fault[] } {
  const { orgId, templateId, subject, html, text, variables = {} } = wanted
  if (templateId === undefined) return { subject: subject ?? '', html: html ?? null, text: text ?? null }
  const template = known.templates.get(keyOf(orgId, templateId))
  if (!template) return { faults: [{ field: 'body.template_id', issue: 'is no template of yours' }] }
  const names = new Set(
    placeholdersOf(template.subject, template.html, template.text).map((name) => name.split('.')[0]),
  )
  const faults: Fault[] = Object.keys(variables)
    .filter((name) => !names.has(name))
    .map((name) => ({ field: `body.variables.${name}`, issue: 'is named by no placeholder of the template' }))
  const parts = {
    subject: subject ?? render('subject', template.subject, variables, faults),
    html: html ?? render('html', template.html, variables, faults),
    text: text ?? (template.text === null ? null : render('text', template.text, variables, faults)),
  }
  return faults.length > 0 ? { faults } : parts
}

/** Takes from the plans what messages count; those for which nothing is left come last. */
async function overCap(tx: Db, counted: readonly Drafted[]): Promise<readonly Drafted[]> {
  const byOrg = Map.groupBy(counted, ({ draft }) => draft.row.org_id)
  const wanted = [...byOrg].map(([org_id, { length }]) => ({ org_id, messages: length }))
  const granted = await usage.take(tx, wanted)
  return [...byOrg].flatMap(([orgId, drafts]) => drafts.slice(granted.get(orgId) ?? 0))
}

/** Those for which their sandbox has no room left. */
async function withoutRoom(tx: Db, tried: readonly Drafted[]): Promise<readonly Drafted[]> {
  const unkept: Drafted[] = []
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
