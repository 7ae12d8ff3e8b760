import { page } from '../http/console/page.ts'
import { html } from '../http/html/html.ts'

export const trustSection = { title: 'Trust', path: '/ops/trust', group: 'Knowledge and trust' } as const

export const overview = page({
  path: '/trust',
  summary: 'Show threat feeds',
  section: trustSection,
  async view({ region }) {
    const main = html`<h1>Threat feeds</h1>
<p class="lead"><code>POST /v1/trust/check-url</code> checks URLs against these feeds. Add a feed with <code>npx millrace trust add</code>, import a file with <code>npx millrace trust import</code>.</p>${await region('trust-feeds')}`
    return { title: 'Trust', main }
  },
})
