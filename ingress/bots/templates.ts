import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { queryInt } from '#lib/input-types.ts'
import { Variable } from '#sql/bots/versions.ts'
import { route } from '../http/route.ts'
import { findTemplate, listTemplateVersions, newestTemplates, type Template } from './catalogue.ts'

const TemplateSummary = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    language: z.string(),
    version: z.int(),
    starter_questions: z.array(z.string()),
    variables: z.array(Variable).describe('Values that a bot or a conversation must provide for `{{key}}`'),
  })
  .meta({ id: 'bots.Template' })

const Detail = TemplateSummary.extend({
  versions: z.array(z.int()).describe('Version numbers, newest first'),
  system_prompt: z
    .string()
    .describe('Prompt of the template, the same for all organisations. The prompt of a bot is never returned.'),
  greeting: z.string(),
  fallback: z.string().describe('Text that a bot returns if it has no answer'),
}).meta({ id: 'bots.TemplateDetail' })

const matches = ({ name, description }: Template, q: string) =>
  `${name} ${description}`.toLowerCase().includes(q.toLowerCase())

export const list = route({
  method: 'GET',
  path: '/templates',
  summary: 'List bot templates',
  description: 'Returns the newest version of each template, sorted by key, on one page.',
  scope: 'bots:read',
  testKeys: 'shared',
  locks: [],
  query: z.object({ category: z.string().max(40).optional(), q: z.string().trim().max(200).optional() }),
  status: 200,
  reply: z.object({ data: z.array(TemplateSummary), next_cursor: z.null() }),
  async handle({ query: { category, q } }) {
    const found = newestTemplates().filter(
      (template) => (category === undefined || template.category === category) && (!q || matches(template, q)),
    )
    return { data: found, next_cursor: null }
  },
})

export const read = route({
  method: 'GET',
  path: '/templates/{key}',
  summary: 'Read a template',
  description: 'Returns the newest version of the template, or the version given by `version`.',
  scope: 'bots:read',
  testKeys: 'shared',
  locks: [],
  params: z.object({ key: z.string().max(100) }),
  query: z.object({ version: queryInt(1, 2_147_483_647).optional().describe('Default: the newest version') }),
  status: 200,
  reply: Detail,
  problems: ['not_found'],
  async handle({ params: { key }, query: { version } }) {
    const template = findTemplate(key, version)
    if (!template) throw notFound('template')
    return { ...template, versions: listTemplateVersions(key) }
  },
})
