import { z } from 'zod'

/** Upstreams at most, and names of models that one has. */
const [mostUpstreams, mostModels] = [8, 64]

/** A model by its name, or by another one that clients ask for before it: `gpt-4o=qwen3:8b`. */
const Model = z
  .string()
  .min(1)
  .max(400)
  .refine((model) => {
    const { asked, real } = namesOf(model)
    return asked !== '' && real !== '' && asked !== defaultModel
  }, 'must be the name of a model, or asked=name')

/** What clients ask for who leave the choice of a model to the operator. */
export const defaultModel = 'default'

const Models = z.array(Model).max(mostModels)

/** An upstream beside the first. */
const Upstream = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be letters, digits and - in lower case'),
  base_url: z.url({ protocol: /^https?$/ }),
  models: Models.default([]),
  embedding_models: Models.default([]),
  moderation_model: z.string().min(1).optional(),
  timeout_ms: z.int().min(100).max(80_000).optional(),
})

/** The name of the upstream that `AI_BASE_URL` is. */
export const firstUpstream = 'main'

export const FurtherUpstreams = z
  .array(Upstream)
  .max(mostUpstreams)
  .refine(
    (all) => new Set([firstUpstream, ...all.map(({ name }) => name)]).size === all.length + 1,
    `must have a name each, and none the name ${firstUpstream}`,
  )

/** The name that a model is asked for by, and the one that it has at its server. */
export function namesOf(model: string): { asked: string; real: string } {
  const at = model.indexOf('=')
  const asked = (at < 0 ? model : model.slice(0, at)).trim()
  return { asked, real: at < 0 ? asked : model.slice(at + 1).trim() }
}

/** The upstreams that a setting tells of in JSON. */
export const furtherUpstreams = (json: string): z.output<typeof FurtherUpstreams> =>
  FurtherUpstreams.parse(JSON.parse(json))

/** The text of a setting that must be JSON of `FurtherUpstreams`; it stays a text, as it is shown. */
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

/** Models with commas between. */
export const models = z
  .string()
  .transform((all) =>
    all
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  )
  .pipe(Models)
