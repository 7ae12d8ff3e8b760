import { UserId } from '#lib/user-id.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findKeys, type PersonName } from '#sql/people/keys.ts'
import { type Entry, type Kind, listEntries } from '#sql/people/timeline.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState } from '../../http/html/parts.ts'
import { personOf } from '../fields.ts'

/** Entries on one page of a timeline. */
export const shownEntries = 25

export const kindTitles: Readonly<Record<Kind, string>> = {
  email: 'Email',
  received_email: 'Received email',
  notification: 'Notification',
  push: 'Push message',
  whatsapp: 'WhatsApp message',
  bot: 'Conversation with a bot',
  call: 'Call',
  sms: 'SMS message',
  verification: 'Verification code',
}

const paths: Readonly<Record<Kind, (entry: Entry) => string>> = {
  email: ({ id }) => `/app/mail/${id}`,
  received_email: ({ id }) => `/app/received/${id}`,
  notification: ({ id }) => `/app/notify/events/${id}`,
  push: ({ id }) => `/app/push/messages/${id}`,
  whatsapp: ({ id }) => `/app/whatsapp/messages/${id}`,
  bot: ({ id, about }) => `/app/bots/${about}/conversations/${id}`,
  call: ({ id }) => `/app/calls/${id}`,
  sms: ({ id }) => `/app/sms/messages/${id}`,
  verification: ({ id }) => `/app/verify/${id}`,
}

export const renderEntries = (entries: readonly Entry[], withText: boolean): Html =>
  entries.length === 0
    ? emptyState('Nothing yet.', 'Messages, calls and conversations of this person appear here.')
    : dataTable({ caption: 'Timeline', key: ({ id }) => `entry-${id}` }, entries, {
        Kind: ['', (one) => html`<a href="${paths[one.kind](one)}">${kindTitles[one.kind]}</a>`],
        Title: withText && ['break', (one) => one.title ?? '–'],
        Direction: ({ direction }) => (direction === 'inbound' ? 'received' : 'sent'),
        Address: ['break', (one) => one.address ?? quiet('–')],
        Status: (one) => one.status,
        Time: (one) => ago(one.at),
      })

/** Returns entries of a person. */
export async function readEntries(
  db: DatabasePool,
  person: PersonName,
  { kind, before }: { kind?: Kind | undefined; before?: string | undefined } = {},
): Promise<readonly Entry[]> {
  const kinds = kind && [kind]
  return await listEntries(db, await findKeys(db, person), { kinds, before, limit: shownEntries + 1 })
}

/** Longest name of a region that a page can watch. */
const longestName = 200

/** Returns the name of the live region with the newest entries. `undefined` if the ID of the person is too long for it. */
export function timelineRegion(userId: string, withText: boolean): string | undefined {
  const name = `${withText ? 'people-timeline-text' : 'people-timeline'}/${Buffer.from(userId).toString('base64url')}`
  return name.length > longestName ? undefined : name
}

const region = (withText: boolean): OrgRegion => ({
  everyMs: 3_000,
  permission: withText ? 'contents:read' : 'people:read',
  async read(db, orgId, [given = '']) {
    const userId = UserId.safeParse(Buffer.from(given, 'base64url').toString())
    if (!userId.success) return null
    const entries = await readEntries(db, personOf(orgId, userId.data))
    return renderEntries(entries.slice(0, shownEntries), withText)
  },
})

/** Show the newest entries of the person whose ID in base64url follows the name of the region. */
export const timelineRegions = { 'people-timeline': region(false), 'people-timeline-text': region(true) }
