import { z } from 'zod'
import * as embedding from '#sql/video/embedding.ts'
import { html } from '../../http/console/html.ts'
import { linesField } from '../../http/dashboard/form.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { faultOf, tokenField, trail } from '../../http/dashboard/parts.ts'
import { set } from '../embedding.ts'
import { section } from './videos.ts'

/** `/app/videos/embedding`: which sites may show players in a frame. */
export const { show: askForSites, submit: nameSites } = formPage({
  path: '/videos/embedding',
  summary: 'Which sites may embed players',
  section,
  permission: 'areas:write',
  fields: z.object({ origins: z.string() }),
  async view({ db, member, filled, fault }) {
    const now = (await embedding.find(db, member.orgId)).join('\n')
    const main = html`${trail('Videos', section.path)}<h1>Where players may stand</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, {
  name: 'origins',
  label: 'Sites',
  hint: 'One a line, such as https://www.example.com or https://*.example.org. Left empty, every site may show your players.',
  otherwise: now,
  few: true,
})}
<button>Keep them</button></form>`
    return { title: 'Where players may stand', main }
  },
  async submit({ ask, given }) {
    const lines = given.origins.split('\n').map((line) => line.trim())
    await ask(set, { body: { origins: lines.filter((line) => line !== '') } }, z.unknown())
    return { to: `${section.path}/embedding`, told: 'Players follow with the next page that is loaded.' }
  },
})
