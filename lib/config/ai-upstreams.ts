import { z } from 'zod'

const [mostUpstreams, mostModels] = [8, 64]

const Model = z
  .string()
  .min(1)
  .max(400)
  .refine((model) => {
    const { asked, real } = parseModelNames(model)
    return asked !== '' && real !== '' && asked !== defaultModel
  }, 'must be a model name, or asked=name')

export const defaultModel = 'default'

const Models = z.array(Model).max(mostModels)

/**
 * APIs in which a server accepts conversations. Other APIs are translated to `chat`. A server without `chat` gets only
 * requests in its own APIs.
 */
export const Api = z.enum(['chat', 'responses', 'messages'])

export type Api = z.output<typeof Api>

export const Speaks = z.array(Api).min(1).max(3)

/** Header with the server's key. Anthropic's server expects `x-api-key`. */
const KeyHeader = z.enum(['authorization', 'x-api-key'])

export type KeyHeader = z.output<typeof KeyHeader>

const Upstream = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lowercase letters, digits and -'),
  base_url: z.url({ protocol: /^https?$/ }),
  models: Models.default([]),
  embedding_models: Models.default([]),
  rerank_models: Models.default([]),
  speaks: Speaks.default(['chat']),
  key_header: KeyHeader.default('authorization'),
  moderation_model: z.string().min(1).optional(),
  timeout_ms: z.int().min(100).max(80_000).optional(),
})

export const firstUpstream = 'main'

export const FurtherUpstreams = z
  .array(Upstream)
  .max(mostUpstreams)
  .refine(
    (all) => new Set([firstUpstream, ...all.map(({ name }) => name)]).size === all.length + 1,
    `must each have a different name, and none can be ${firstUpstream}`,
  )

export function parseModelNames(model: string): { asked: string; real: string } {
  const at = model.indexOf('=')
  const asked = (at < 0 ? model : model.slice(0, at)).trim()
  return { asked, real: at < 0 ? asked : model.slice(at + 1).trim() }
}

export const parseFurtherUpstreams = (json: string): z.output<typeof FurtherUpstreams> =>
  FurtherUpstreams.parse(JSON.parse(json))

export const furtherUpstreamsText = z.string().check(({ value, issues }) => {
  let given: unknown
  try {
    given = JSON.parse(value)
  } catch {
    issues.push({ code: 'custom', input: value, message: 'must be JSON: an array of objects' })
    return
  }
  const { error } = FurtherUpstreams.safeParse(given)
  for (const { path, message } of error?.issues ?? []) {
    issues.push({ code: 'custom', input: value, message: `${path.join('.')}: ${message}` })
  }
})

export const models = z
  .string()
  .transform((all) =>
    all
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  )
  .pipe(Models)

export const speaks = z
  .string()
  .transform((all) => all.split(',').map((one) => one.trim()))
  .pipe(Speaks)
