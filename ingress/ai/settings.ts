import { z } from 'zod'
import { FallbacksByModel } from '#lib/config/ai-fallbacks.ts'
import * as rows from '#sql/ai/settings.ts'
import { setAiSettings } from '#tasks/ai/rules/set-settings.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { longestCached } from './cached-replies.ts'

const fields = {
  cache_seconds: z
    .int()
    .min(1)
    .max(longestCached)
    .nullable()
    .describe(
      'Time for which chat completions, responses and messages are cached, in seconds, if the request has no `Millrace-Cache` header. `null`: not cached.',
    ),
  fallbacks: FallbacksByModel.describe(
    'Models that are used if a model fails, by requested model. Used if the request has no `fallbacks`. An empty list turns off the fallbacks of the operator.',
  ),
}

const Settings = z
  .object({ ...fields, updated_at: Instant.nullable().describe('`null` if the settings were never changed') })
  .meta({ id: 'ai.Settings' })

const unchanged: z.input<typeof Settings> = { cache_seconds: null, fallbacks: {}, updated_at: null }

const present = ({ org_id: _, ...settings }: rows.AiSettings): z.input<typeof Settings> => settings

export const read = route({
  method: 'GET',
  path: '/settings',
  beyondContract: true,
  summary: 'Read the AI settings',
  description: 'Returns the cache time and the fallbacks of the organisation.',
  scope: 'account:read',
  status: 200,
  reply: Settings,
  async handle({ org, db }) {
    const found = await rows.find(db, org.id)
    return found ? present(found) : unchanged
  },
})

export const put = route({
  method: 'PUT',
  path: '/settings',
  beyondContract: true,
  summary: 'Set the AI settings',
  description: 'Replaces the cache time and the fallbacks of the organisation. They apply to new requests.',
  scope: 'account:write',
  body: z.strictObject({ cache_seconds: fields.cache_seconds.default(null), fallbacks: fields.fallbacks.default({}) }),
  status: 200,
  reply: Settings,
  example: { body: { cache_seconds: 3_600, fallbacks: { default: [{ model: 'gpt-4o', on: ['context_length'] }] } } },
  async handle({ body, db, ...call }) {
    return present(await db.transaction((tx) => setAiSettings(tx, actorOfCall(call), body)))
  },
})
