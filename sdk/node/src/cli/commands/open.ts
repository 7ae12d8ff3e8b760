import { openBrowser } from '../browser.ts'
import { command } from '../command.ts'
import { connect } from '../connection.ts'
import { UsageError } from '../usage-error.ts'

const pages = {
  dashboard: '',
  keys: '/keys',
  webhooks: '/webhooks',
  requests: '/requests',
  email: '/mail',
  usage: '/usage',
  docs: undefined,
} as const

export const open = command({
  name: 'open',
  summary: 'Open a page of the dashboard, or the documentation',
  operands: [{ name: 'PAGE', help: Object.keys(pages).join(', '), optional: true, choices: Object.keys(pages) }],
  options: { print: { type: 'boolean', help: 'Print the link, and open no browser' } },
  examples: ['millrace-cli open', 'millrace-cli open docs'],
  async run({ values, operands: [page = 'dashboard'], common, terminal }) {
    if (!Object.hasOwn(pages, page)) throw new UsageError(`PAGE must be ${Object.keys(pages).join(', ')}.`, 'open')
    const { url, profile } = await connect(common)
    const path = pages[page as keyof typeof pages]
    const link = path === undefined ? `${url}/docs` : `${profile?.dashboard ?? `${url}/app`}${path}`
    if (terminal.json) terminal.printJson({ url: link })
    else terminal.print(link)
    if (!values.print && !terminal.json && !(await openBrowser(link)))
      terminal.note('No browser was found. Open the link yourself.')
  },
})
