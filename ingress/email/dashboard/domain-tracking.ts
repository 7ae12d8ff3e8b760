import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import * as domains from '#sql/email/domains.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, repeatedField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { update } from '../domains.ts'
import { section } from './domains.ts'

const params = z.object({ domain: Domain })

/** Form that turns the tracking of a domain on and off. */
export const { show: ask, submit: change } = formPage({
  path: '/domains/{domain}/tracking',
  summary: 'Change the tracking of a domain',
  section,
  permission: 'domains:write',
  params,
  fields: z.object({
    track: repeatedField(z.string().max(20)),
    tracking_host: z.string().max(300).default(''),
  }),
  async view({ db, member, params: { domain }, filled, fault }) {
    const row = await mustFind(domains.find(db, member.orgId, domain), 'domain')
    const now = [row.track_opens && 'opens', row.track_clicks && 'clicks'].filter((name) => name !== false)
    const main = html`${parentLink(row.domain, `/app/domains/${row.domain}`)}<h1>Tracking of ${row.domain}</h1>${renderFault(fault)}
<p class="lead">Tracking tells you who opens your email. In many countries, recipients must agree first.</p>
<form class="form" method="post">${tokenField(member)}
${checkBoxes(filled, {
  name: 'track',
  label: 'Tracking',
  hint: 'Applies to messages sent from now on. Security messages and confirmation requests are never tracked.',
  options: [
    ['opens', 'Track opens', 'adds a small image to HTML'],
    ['clicks', 'Track clicks', 'replaces the links of HTML'],
  ],
  otherwise: now,
})}
${textField(filled, { name: 'tracking_host', label: 'Host of links', otherwise: row.tracking_host ?? '', hint: `Optional. For example, links.${row.domain}. Links on a previous host stop working.` })}
<p class="actions"><button>Save</button> <a class="button plain" href="/app/domains/${row.domain}">Cancel</a></p></form>`
    return { title: `Tracking of ${row.domain}`, main }
  },
  async submit({ ask, params: { domain }, given: { track, tracking_host } }) {
    const body = {
      track_opens: track.includes('opens'),
      track_clicks: track.includes('clicks'),
      tracking_host: tracking_host.trim() || null,
    }
    await ask(update, { params: { domain }, body }, z.unknown())
    return { to: `/app/domains/${domain}`, told: `Tracking of ${domain} saved.` }
  },
})
