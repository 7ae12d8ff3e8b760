import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { queryInt } from '#lib/input-types.ts'
import { route } from '../http/route.ts'
import { searchDocs } from './finder.ts'
import { guides } from './guides.ts'
import { library } from './library.ts'
import { anchorOf, withAddresses } from './markdown.ts'

/** Routes for language models. They are not part of the API. */
const forModels = {
  method: 'GET',
  public: true,
  hidden: true,
  withoutDatabase: true,
  status: 200,
  limit: { perMinute: 300, by: 'ip' },
} as const

/** Maximum number of characters of a result. A longer guide is read by sections. */
const longest = 40_000

export const search = route({
  ...forModels,
  path: '/docs/tools/search',
  summary: 'Search the documentation',
  description: 'Finds sections of guides, API operations and webhook events. Read a guide with read_docs.',
  tool: { name: 'search_docs' },
  query: z.object({ q: z.string().min(2).max(200).describe('Words to search for'), limit: queryInt(1, 20).default(8) }),
  reply: z.object({
    data: z.array(z.object({ title: z.string(), of: z.string(), path: z.string() })),
  }),
  async handle({ query, services }) {
    const found = await searchDocs(services, query.q, query.limit)
    return { data: found.map(({ title, of, href }) => ({ title, of, path: href })) }
  },
})

export const read = route({
  ...forModels,
  path: '/docs/tools/guides/{guide}',
  summary: 'Read a guide of the documentation',
  description: `Returns Markdown. If a guide has more than ${longest} characters, the result has its start and the names of its sections.`,
  tool: { name: 'read_docs' },
  params: z.object({
    guide: z.string().describe('Name of the guide, such as `email`: the part after `/docs/guides/`'),
  }),
  query: z.object({
    section: z
      .string()
      .max(200)
      .optional()
      .describe('Anchor of a section: the part after `#`. Default: the whole guide.'),
  }),
  problems: ['not_found'],
  reply: z.object({
    guide: z.string(),
    title: z.string(),
    sections: z.array(z.string()).describe('Anchors of the sections'),
    truncated: z.boolean(),
    markdown: z.string(),
  }),
  async handle({ params, query, services }) {
    const found = guides().find(({ name }) => name === params.guide.replace(/\.md$/, ''))
    if (!found) throw notFound('guide')
    const parts = splitSections(withAddresses(found, services(library).markdownOf(found)))
    const wanted = query.section?.replace(/^#/, '')
    const part = wanted === undefined ? undefined : parts.find(({ anchor }) => anchor === wanted)
    if (wanted !== undefined && !part) throw notFound('section')
    const markdown = part ? part.markdown : parts.map((one) => one.markdown).join('')
    return {
      guide: found.name,
      title: found.title,
      sections: parts.flatMap(({ anchor }) => (anchor === undefined ? [] : [anchor])),
      truncated: markdown.length > longest,
      markdown: markdown.slice(0, longest),
    }
  },
})

/** Splits Markdown at its headings of the second level. Lines in code blocks are not headings. */
function splitSections(markdown: string): { anchor: string | undefined; markdown: string }[] {
  const parts: { anchor: string | undefined; markdown: string }[] = [{ anchor: undefined, markdown: '' }]
  let isCode = false
  for (const line of markdown.split(/(?<=\n)/)) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? undefined : /^## (.+)$/m.exec(line)?.[1]
    if (heading !== undefined) parts.push({ anchor: anchorOf(heading), markdown: '' })
    const last = parts.at(-1)
    if (last) last.markdown += line
  }
  return parts
}
