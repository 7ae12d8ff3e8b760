import * as campaigns from '#sql/email/campaigns.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as domains from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import * as received from '#sql/email/received.ts'
import * as templates from '#sql/email/templates.ts'
import { type Finder, findById } from '../../http/dashboard/finders.ts'
import { queryString } from '../../http/html/html.ts'

const permission = 'log:read'

const byDomain: Finder = {
  permission: 'domains:read',
  async find({ db, orgId, text }) {
    const found = text.includes('.') && (await domains.find(db, orgId, text.toLowerCase()))
    return found
      ? [{ title: found.domain, kind: 'Domain', href: `/app/domains/${encodeURIComponent(found.domain)}` }]
      : []
  },
}

const byAddress: Finder = {
  permission,
  async find({ db, orgId, text }) {
    if (!/^[^@\s]+@[^@\s]+$/.test(text)) return []
    const sent = { title: `Email to ${text}`, kind: 'Messages', href: `/app/mail${queryString({ to: text })}` }
    const contact = await contacts.find(db, orgId, text.toLowerCase())
    return contact ? [{ title: contact.email, kind: 'Contact', href: `/app/contacts/${contact.id}` }, sent] : [sent]
  },
}

export const finders: readonly Finder[] = [
  findById('Email', '/app/mail', messages.find, { permission }),
  findById('Received email', '/app/received', received.find, { permission }),
  findById('Campaign', '/app/campaigns', campaigns.find, { permission, name: 'name' }),
  findById('Segment', '/app/segments', segments.find, { permission, name: 'name' }),
  findById('Contact', '/app/contacts', contacts.findById, { permission, name: 'email' }),
  findById('Template', '/app/templates', templates.find, { permission: 'templates:read', name: 'name' }),
  byDomain,
  byAddress,
]
