import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/sms/messages.ts'
import * as providers from '#sql/sms/providers.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { optOutsPath, phoneLink, providersPath, section, settingsPath } from './section.ts'

export const overview = page({
  path: '/sms',
  summary: 'Show the latest text messages',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, region, query: { before } }) {
    const write = may('areas:write')
    const connected = (await providers.findByOrgs(db, [member.orgId])).has(member.orgId)
    const send = write && connected && html`<a class="button primary" href="${section.path}/send">Send a message</a>`
    const main = html`<div class="title"><h1>SMS</h1><p class="actions">${phoneLink()} <a class="button" href="${providersPath}">Providers</a> <a class="button" href="${optOutsPath}">Opt-outs</a> <a class="button" href="${settingsPath}">Settings</a> ${send}</p></div>
${!connected && emptyState('No provider is connected.', 'Millrace sends text messages with your account at Twilio, Vonage or another provider.', write && linkButton(`${providersPath}/new`, 'Connect a provider', { primary: true }))}
${before ? await renderMessages(db, member.orgId, before) : await region('sms')}`
    return { title: 'SMS', main }
  },
})

export const messagesRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'log:read',
  read: (db, orgId) => renderMessages(db, orgId, undefined),
}

async function renderMessages(db: Parameters<OrgRegion['read']>[0], orgId: string, before: string | undefined) {
  const found = await rows.list(db, orgId, { where: everything, before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  if (shown.length === 0) return emptyState('No messages yet.', 'Sent and received messages appear here.')
  return html`${messageTable(shown)}${older(section.path)}`
}

const messageTable = (shown: readonly rows.Message[]): Html =>
  dataTable({ caption: 'Messages', key: ({ id }) => `message-${id}` }, shown, {
    Person: [
      '',
      (one) =>
        html`<a href="${section.path}/messages/${one.id}">${one.direction === 'inbound' ? 'From' : 'To'} ${one.phone}</a>`,
    ],
    Sender: (one) => one.sender ?? quiet('chosen by the provider'),
    Segments: ['number', (one) => String(one.segments)],
    Status: [
      'break',
      (one) =>
        html`${statusBadge(one.status === 'sending' ? 'queued' : one.status)}${one.error && html` <span class="quiet">${one.error.code}</span>`}${one.keyword && html` <span class="quiet">${one.keyword}</span>`}`,
    ],
    Created: (one) => ago(one.created_at),
  })
