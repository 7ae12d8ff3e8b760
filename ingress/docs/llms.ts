import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { areasOf } from './frame.ts'
import { chapters } from './guides.ts'

/** `GET /llms.txt`: every page of the documentation as Markdown, as https://llmstxt.org has it. */
export const index = route({
  ...openPage,
  path: '/llms.txt',
  summary: 'The documentation for language models',
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
      'Every page is Markdown at its address with `.md` at the end. The contract is `/v1/openapi.json`.\n',
      ...parts,
      `## Reference\n\n${areas.join('')}`,
    ].join('\n')
  },
})
