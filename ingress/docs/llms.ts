import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { areasOf } from './frame.ts'
import { chapters } from './guides.ts'

/** The format is described at https://llmstxt.org */
export const index = route({
  ...openPage,
  path: '/llms.txt',
  summary: 'List documentation pages for language models',
  raw: 'text/plain; charset=utf-8',
  async handle({ ctx, services }) {
    const parts = chapters().map(({ title, guides }) => {
      const links = guides.map(({ name, title: text }) => `- [${text}](/docs/guides/${name}.md)\n`)
      return `## ${title}\n\n${links.join('')}`
    })
    const areas = areasOf(services(catalogue)).map(([name, title]) => `- [${title}](/docs/reference/${name}.md)\n`)
    ctx.body = [
      '# Millrace\n',
      '> One HTTP/JSON API for email, push, video, live, rooms, files, bots and more, with a queue behind it.\n',
      'Each page is available as Markdown at its URL with `.md` appended. The contract is `/v1/openapi.json`.\n',
      ...parts,
      `## Reference\n\n${areas.join('')}`,
    ].join('\n')
  },
})
