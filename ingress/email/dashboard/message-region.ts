import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import * as engagements from '#sql/email/engagements.ts'
import * as messages from '#sql/email/messages.ts'
import { findWaiting } from '#tasks/email/rules/waiting.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../../http/html/html.ts'
import { copyable, emptyState } from '../../http/html/parts.ts'
import { attemptTable } from '../attempt-table.ts'
import { type Cause, findCause } from '../messages/causes.ts'
import { presentEngagement } from '../messages/engagement.ts'
import { engagementSection } from './engagement-section.ts'
import { stateOf } from './mail.ts'

const waiting: readonly string[] = ['scheduled', 'queued', 'deferred']

/** Status, cause and delivery route of a message. Updates while the page is open. */
export const messageRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await messages.find(db, orgId, id.data) : null
    if (!found) return null
    const [route, copies, wait, held, engaged] = await Promise.all([
      attempts.list(db, orgId, found.id),
      messages.listCopies(db, orgId, found.id),
      findWaiting(db, found),
      findSuppressions(db, found),
      engagements.list(db, orgId, found.id),
    ])
    const isFinal = ![found, ...copies].some(({ status }) => waiting.includes(status))
    const cause = findCause(found)
    return html`<dl class="facts"${isFinal && html` data-final`}>${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${cause && causeOf(found, cause, held)}
${copies.length > 0 && html`<section><h2>Copies</h2><ul class="groups">${copies.map(copyOf)}</ul></section>`}
${engagementSection(presentEngagement(engaged))}
<section><h2>Delivery route</h2>${route.length === 0 && !wait ? emptyState(routeless(found)) : route.map(attemptTable)}
${wait && html`<p>${wait.reason} Next attempt: ${formatInstant(wait.until)} UTC.</p>`}</section>`
  },
}

export const findSuppressions = (
  db: Db,
  { org_id, to_email: email }: Pick<messages.Message, 'org_id' | 'to_email'>,
): Promise<readonly suppressions.Suppression[]> => suppressions.findMany(db, [{ org_id, email }])

function causeOf(
  { status, reason, to_email }: messages.Message,
  { why, todo }: Cause,
  held: readonly suppressions.Suppression[],
): Html {
  const title = status === 'deferred' ? 'Why is this delayed?' : 'Why was this not delivered?'
  return html`<section class="cause"><h2>${title}</h2><p><strong>${why}</strong> ${todo}</p>
${reason && html`<p class="quiet break">${reason}</p>`}
${held.length > 0 && html`<p><a href="/app/suppressions${queryString({ email: to_email })}">This address is suppressed</a> since ${formatInstant((held[0] as suppressions.Suppression).created_at)} UTC (${held.map(({ reason }) => reason).join(', ')}).</p>`}</section>`
}

const copyOf = (copy: messages.Message): Html =>
  html`<li><a href="/app/mail/${copy.id}">${copy.to_email}</a> ${copy.recipient}, ${stateOf(copy)}</li>`

const routeless = ({ sandbox, status }: messages.Message): string =>
  sandbox
    ? 'Test messages are recorded, but not delivered.'
    : status === 'scheduled'
      ? 'The message is scheduled.'
      : 'No delivery attempts yet.'

const instants = ['sent', 'delivered', 'deferred', 'bounced', 'failed', 'complained', 'cancelled'] as const

function facts(found: messages.Message): [string, Content][] {
  const times = instants.flatMap((name): [string, Content][] => {
    const at = found[`${name}_at`]
    return at ? [[`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, `${formatInstant(at)} UTC`]] : []
  })
  const optional: [string, Content][] = [
    ['Scheduled for', found.send_at && `${formatInstant(found.send_at)} UTC`],
    ...times,
    [`Copy (${found.recipient}) of`, found.copy_of && html`<a href="/app/mail/${found.copy_of}">another message</a>`],
    ['Repeats', found.resent_from && html`<a href="/app/mail/${found.resent_from}">another message</a>`],
    ['Campaign', found.campaign_id && html`<a href="/app/campaigns/${found.campaign_id}">Open campaign</a>`],
    ['Template', found.template_id && html`<a href="/app/templates/${found.template_id}">Open template</a>`],
    ...found.tags.map(({ name, value }): [string, Content] => [
      `Tag ${name}`,
      html`<a href="/app/mail${queryString({ tag: `${name}:${value}` })}">${value}</a>`,
    ]),
    ['Metadata', found.metadata && html`<code>${JSON.stringify(found.metadata)}</code>`],
    ['Reason', !findCause(found) && found.reason],
  ]
  return [
    ['Status', stateOf(found)],
    ['To', found.to_email],
    ['From', found.from_email],
    ['Stream', found.stream],
    ['Message', copyable(found.id, 'the ID of the message')],
    ['Message-ID', html`<span class="id break">${found.message_id}</span>`],
    ['Accepted', `${formatInstant(found.created_at)} UTC`],
    ...optional.filter(([, value]) => value !== null && value !== false && value !== ''),
  ]
}
