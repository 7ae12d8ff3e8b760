import { z } from 'zod'

/** Kinds of failure after which another model can be tried. */
export const fallbackReasons = ['rate_limited', 'context_length', 'content_filter', 'timeout', 'unavailable'] as const

export type FallbackReason = (typeof fallbackReasons)[number]

/** Reasons of a fallback that does not name them. A refusal is usually also the answer of the next model. */
const usualReasons: readonly FallbackReason[] = ['rate_limited', 'context_length', 'timeout', 'unavailable']

/** Maximum number of models that are tried after the requested one. */
export const mostFallbacks = 4

const ModelName = z.string().min(1).max(200)

const Fallback = z.union([
  ModelName,
  z.strictObject({
    model: ModelName,
    on: z
      .array(z.enum(fallbackReasons))
      .min(1)
      .max(fallbackReasons.length)
      .optional()
      .describe(`Failures after which the model is used. Default: ${usualReasons.join(', ')}.`),
  }),
])

export const Fallbacks = z.array(Fallback).max(mostFallbacks)

export type Fallbacks = z.infer<typeof Fallbacks>

export interface FallbackModel {
  model: string
  on: readonly FallbackReason[]
}

export const readFallbacks = (given: Fallbacks): FallbackModel[] =>
  given.map((one) =>
    typeof one === 'string' ? { model: one, on: usualReasons } : { model: one.model, on: one.on ?? usualReasons },
  )

const mostModels = 64

/** Fallbacks by requested model. */
export const FallbacksByModel = z
  .record(ModelName, Fallbacks)
  .refine((all) => Object.keys(all).length <= mostModels, `must have at most ${mostModels} models`)

export const fallbacksText = z.string().check(({ value, issues }) => {
  const fault = (message: string) => issues.push({ code: 'custom', input: value, message })
  let given: unknown
  try {
    given = JSON.parse(value)
  } catch {
    fault('must be JSON: an object of lists')
    return
  }
  const { error } = FallbacksByModel.safeParse(given)
  for (const { path, message } of error?.issues ?? []) fault(`${path.join('.')}: ${message}`)
})

export const parseFallbacks = (json: string): z.output<typeof FallbacksByModel> =>
  FallbacksByModel.parse(JSON.parse(json))

/** Returns the fallbacks of a model. Undefined if it has none. A model can have the name of a method, such as `toString`. */
export const findFallbacks = (all: z.output<typeof FallbacksByModel>, model: string): Fallbacks | undefined =>
  Object.hasOwn(all, model) ? all[model] : undefined
