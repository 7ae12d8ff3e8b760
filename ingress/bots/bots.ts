import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/bots/bots.ts'
import * as directory from '#sql/bots/directory.ts'
import * as versions from '#sql/bots/versions.ts'
import { fill } from '#tasks/bots/rules/fill.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { botParams, Category, Language, Slug, text } from './fields.ts'
import { buildPersona, changesPersona, personaFields } from './persona.ts'
import { OwnBot, PublicBot, presentOwn, presentPublic } from './present.ts'

const profileFields = {
  name: text(100),
  tagline: text(200).nullable().optional(),
  description: text(4_000).nullable().optional(),
  category: Category.nullable().optional(),
  languages: z.array(Language).max(20).optional(),
  avatar_url: z
    .url({ protocol: /^https$/, error: 'must be an https URL' })
    .max(2_000)
    .nullable()
    .optional(),
  retention_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .optional()
    .describe('Retention of conversations after their last message, in days'),
  handover: z
    .boolean()
    .optional()
    .describe('True to transfer a conversation to a person on request, or after two questions without an answer'),
}

/** Returns a slug made of the name and the end of the ID. The slug is almost always unique. */
function slugOf(name: string, id: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${letters.replaceAll(/^-+|(?<!-)-+$/g, '') || 'bot'}-${id.slice(-6)}`
}

export const create = route({
  method: 'POST',
  path: '',
  summary: 'Create a bot',
  description:
    'Creates a bot from a template or a `system_prompt`. Until the bot is published, only API keys of your organisation can use it.',
  scope: 'bots:write',
  idempotent: true,
  body: z.strictObject({
    slug: Slug.optional().describe('Default: derived from the name. The slug cannot be changed later.'),
    ...profileFields,
    ...personaFields,
  }),
  status: 200,
  reply: OwnBot,
  problems: ['conflict'],
  example: { body: { name: 'Harbour Help', template: 'support-desk', variables: { company: 'Harbour Bikes' } } },
  async handle({ body, org, db }) {
    const persona = buildPersona(body)
    const id = newId()
    const { name, tagline = null, description = null, category = null, languages = [], avatar_url = null } = body
    const profile = {
      name,
      tagline,
      description,
      category,
      languages,
      avatar_url,
      retention_days: body.retention_days ?? null,
      handover: body.handover ?? false,
    }
    const bot = await rows.insert(db, { ...profile, id, org_id: org.id, slug: body.slug ?? slugOf(name, id) })
    if (!bot) throw conflict('Another bot already uses this slug. Choose another one.')
    return presentOwn(bot, await versions.insert(db, { ...persona, bot_id: id, version: bot.version }))
  },
})

export const list = listRoute({
  path: '',
  summary: 'List your bots, newest first',
  description: 'Returns the bots of the organisation, including drafts.',
  scope: 'bots:write',
  item: OwnBot,
  async rows({ org, db }, page) {
    const bots = await rows.list(db, org.id, page)
    const current = await versions.findCurrent(
      db,
      bots.map(({ id }) => id),
    )
    return bots.map((bot) => ({ id: bot.id, bot, version: current.get(bot.id) as versions.Version }))
  },
  present: ({ bot, version }) => presentOwn(bot, version),
})

export const read = route({
  method: 'GET',
  path: '/{slug}',
  summary: 'Read a bot',
  description: 'Returns a published bot or one of your bots, by its slug or ID.',
  scope: 'bots:read',
  status: 200,
  reply: PublicBot.extend({
    description: z.string().nullable(),
    greeting: z.string().nullable(),
    starter_questions: z.array(z.string()),
    variables: z
      .array(versions.Variable)
      .describe('Placeholders that the bot’s owner left open and that each conversation must fill'),
    owner: z.object({ name: z.string() }),
  }).meta({ id: 'bots.BotPage' }),
  problems: ['not_found'],
  async handle({ params: { slug }, org, db }) {
    const bot = await mustFind(rows.findVisible(db, org.id, slug), 'bot')
    const version = await versions.find(db, bot.id, bot.version)
    const { greeting, starter_questions, variables, variable_values } = version
    return {
      ...presentPublic(bot),
      description: bot.description,
      greeting: greeting === null ? null : fill(greeting, version, {}),
      starter_questions,
      variables: variables.filter(({ key }) => variable_values[key] === undefined),
      owner: { name: await directory.findOwnerName(db, bot) },
    }
  },
})

export const update = route({
  method: 'PATCH',
  path: '/{slug}',
  summary: 'Update a bot',
  description:
    'Updates one of your bots, by its slug or ID. A change to the persona creates a new version for new conversations. Conversations in progress keep their version. `variables` replaces all values. `template` or `template_version` resets the bot’s texts to the template.',
  scope: 'bots:write',
  idempotent: true,
  body: z.strictObject({ ...profileFields, name: profileFields.name.optional(), ...personaFields }),
  status: 200,
  reply: OwnBot,
  problems: ['not_found'],
  async handle({ params: { slug }, body, org, db }) {
    const bot = await mustFind(rows.lock(db, org.id, slug), 'bot')
    let version = await versions.find(db, bot.id, bot.version)
    if (changesPersona(body)) {
      const persona = buildPersona(body, version)
      const { created_at: _, ...next } = { ...version, ...persona, version: bot.version + 1 }
      version = await versions.insert(db, next)
    }
    const given = Object.fromEntries(
      Object.entries(body).filter(([name, value]) => name in profileFields && value !== undefined),
    )
    return presentOwn(await rows.update(db, { ...bot, ...given, version: version.version }), version)
  },
})

const published = (path: '/{botId}/publish' | '/{botId}/withdraw', to: boolean, summary: string, description: string) =>
  route({
    method: 'POST',
    path,
    repeatable: true,
    summary,
    description,
    scope: 'bots:write',
    params: botParams,
    status: 200,
    reply: OwnBot,
    problems: ['not_found'],
    async handle({ params: { botId }, org, db }) {
      const bot = await mustFind(rows.setPublished(db, org.id, botId, to), 'bot')
      return presentOwn(bot, await versions.find(db, bot.id, bot.version))
    },
  })

export const publish = published(
  '/{botId}/publish',
  true,
  'Publish a bot',
  'The bot appears in the directory, and every organisation can talk to it. Publishing a published bot has no effect.',
)

export const withdraw = published(
  '/{botId}/withdraw',
  false,
  'Withdraw a bot',
  'Removes the bot from the directory. Other organisations can read their conversations, but cannot continue them.',
)

export const remove = route({
  method: 'DELETE',
  path: '/{slug}',
  summary: 'Delete a bot',
  description: 'Deletes one of your bots, by its slug or ID, with its documents and all conversations.',
  scope: 'bots:write',
  status: 200,
  reply: z.object({ id: Id, deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ params: { slug }, org, db }) {
    const id = await mustFind(rows.remove(db, org.id, slug), 'bot')
    return { id, deleted: true as const }
  },
})
