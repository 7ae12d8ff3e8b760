import { profileNames } from '#tasks/erp/rules/profiles/index.ts'
import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const companiesSection = { title: 'Companies', path: '/ops/companies', group: 'Knowledge and trust' } as const

export const overview = page({
  path: '/companies',
  summary: 'List company registers and their imports',
  section: companiesSection,
  async view({ region }) {
    const main = html`<h1>Companies</h1>
<p class="lead"><code>GET /v1/erp/companies</code> searches these companies. Add a source with <code>npx millrace erp add</code>. Import the file of a register with <code>npx millrace import erp FILE --profile ${profileNames.join('|')}</code>.</p>${await region('erp-sources')}${await region('erp-imports')}`
    return { title: 'Companies', main }
  },
})
