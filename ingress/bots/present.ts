import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Bot } from '#sql/bots/bots.ts'
import { Variable, type Version } from '#sql/bots/versions.ts'
import { Instant } from '../http/instant.ts'

export const PublicBot = z
  .object({
    bot_id: Id,
    slug: z.string(),
    name: z.string(),
    tagline: z.string().nullable(),
    avatar_url: z.string().nullable(),
    category: z.string().nullable(),
    languages: z.array(z.string()),
    updated_at: Instant,
  })
  .meta({ id: 'bots.PublicBot' })

export const presentPublic = ({ id, ...bot }: Bot): z.input<typeof PublicBot> => ({ bot_id: id, ...bot })

export const OwnBot = z
  .object({
    id: Id,
    slug: z.string(),
    name: z.string(),
    tagline: z.string().nullable(),
    description: z.string().nullable(),
    category: z.string().nullable(),
    languages: z.array(z.string()),
    avatar_url: z.string().nullable(),
    status: z.enum(['draft', 'published']),
    version: z
      .int()
      .describe(
        'Version number. It increases with each change to the persona. Conversations keep the version that they started with.',
      ),
    template: z.object({ key: z.string(), version: z.int() }).nullable(),
    system_prompt_characters: z.int(),
    greeting: z.string().nullable(),
    fallback: z.string(),
    starter_questions: z.array(z.string()),
    variables: z.array(Variable.extend({ value: z.string().nullable() })),
    temperature: z.number().nullable(),
    max_tokens: z.int(),
    retention_days: z.int().nullable(),
    handover: z.boolean().describe('True if the bot hands conversations over to a person'),
    published_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'bots.Bot' })

export const presentTemplateRef = ({ template_key: key, template_version: version }: Version) =>
  key === null || version === null ? null : { key, version }

export const presentOwn = (bot: Bot, version: Version): z.input<typeof OwnBot> => ({
  ...bot,
  status: bot.published_at ? 'published' : 'draft',
  template: presentTemplateRef(version),
  system_prompt_characters: version.system_prompt.length,
  greeting: version.greeting,
  fallback: version.fallback,
  starter_questions: version.starter_questions,
  variables: version.variables.map((variable) => ({
    ...variable,
    value: version.variable_values[variable.key] ?? null,
  })),
  temperature: version.temperature,
  max_tokens: version.max_tokens,
})
