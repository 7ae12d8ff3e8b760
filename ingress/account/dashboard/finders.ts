import { Id } from '#lib/ids.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as streams from '#sql/account/streams/streams.ts'
import * as testMessages from '#sql/account/test-messages.ts'
import * as requests from '#sql/account/usage/requests.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import * as events from '#sql/webhooks/events.ts'
import { type Finder, findById } from '../../http/dashboard/finders.ts'

/** The first characters of a secret, with one character or more after the prefix. */
const secretStart = /^(?:bt_(?:live|test|site)|snd_(?:live|test)|mtz_live)_\w+$/

/** Maximum length of the part of a secret that Millrace stores as text. */
const storedLength = 40

const bySecret: Finder = {
  permission: 'keys:read',
  async find({ db, orgId, text }) {
    if (!secretStart.test(text) || text.length > storedLength) return []
    const found = await secrets.findKeys(db, orgId, text)
    return found.map(({ id, name, start }) => ({ title: name, kind: `API key ${start}…`, href: `/app/keys/${id}` }))
  },
}

/** A request ID that a client chose. Searches of pages have spaces or no digits. */
const clientId = /^(?=.*\d)[\w.:/+=@-]{4,128}$/

const byClientId: Finder = {
  permission: 'log:read',
  async find({ db, orgId, text }) {
    if (!clientId.test(text)) return []
    const found = await requests.findByClientId(db, orgId, text)
    return found.map(({ id, operation, status }) => ({
      title: `${operation}, ${status}`,
      kind: 'Request with your ID',
      href: `/app/requests/${id}`,
    }))
  },
}

const delivery: Finder = {
  permission: 'webhooks:read',
  async find({ db, orgId, text }) {
    const id = Id.safeParse(text)
    const found = id.success && (await deliveries.findAny(db, orgId, id.data))
    if (!found) return []
    const href = `/app/webhooks/${found.endpoint_id}/deliveries/${found.id}`
    return [{ title: `Delivery ${text.slice(0, 8)}…${text.slice(-4)}`, kind: 'Webhook delivery', href }]
  },
}

export const finders: readonly Finder[] = [
  findById('Request', '/app/requests', requests.find, { permission: 'log:read' }),
  findById('API key', '/app/keys', keys.find, { permission: 'keys:read', name: 'name' }),
  findById('Webhook', '/app/webhooks', (db, orgId, id) => endpoints.find(db, { orgId }, id), {
    permission: 'webhooks:read',
    name: 'url',
  }),
  findById('Log stream', '/app/log-streams', streams.find, { permission: 'webhooks:read', name: 'name' }),
  findById('Event', '/app/events', events.find, { permission: 'webhooks:read', name: 'type' }),
  findById('Test message', '/app/test-inbox', testMessages.find, { permission: 'log:read' }),
  delivery,
  bySecret,
  byClientId,
]
