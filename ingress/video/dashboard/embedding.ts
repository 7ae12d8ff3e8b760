import { z } from 'zod'
import * as embedding from '#sql/video/embedding.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { set } from '../embedding.ts'
import { section } from './videos.ts'

export const { show: askForSites, submit: nameSites } = formPage({
  path: '/videos/embedding',
  summary: 'Show the sites that can embed players',
  section,
  permission: 'areas:write',
  fields: z.object({ origins: z.string() }),
  async view({ db, member, filled, fault }) {
    const now = (await embedding.find(db, member.orgId)).join('\n')
    const main = html`${parentLink('Videos', section.path)}<h1>Sites that can embed players</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, {
  name: 'origins',
  label: 'Sites',
  hint: 'One origin per line. For example, https://www.example.com or https://*.example.org. Leave blank to allow every site.',
  otherwise: now,
  few: true,
})}
<button>Save sites</button></form>`
    return { title: 'Sites that can embed players', main }
  },
  async submit({ ask, given }) {
    const lines = given.origins.split('\n').map((line) => line.trim())
    await ask(set, { body: { origins: lines.filter((line) => line !== '') } }, z.unknown())
    return { to: `${section.path}/embedding`, told: 'Sites saved. Players use them after the next page load.' }
  },
})
