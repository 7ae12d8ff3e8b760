import { z } from 'zod'
import { LanguageEngineError } from '#tasks/ai/engine.ts'

/** Returns the failure of a request with a field that chat completions cannot express. `param` is its path. */
export const untranslatable = (param: string): LanguageEngineError =>
  new LanguageEngineError('upstream_error', 'The request cannot be translated to chat completions.', {
    requestFault: { kind: 'not_translatable', param },
  })

/** Throws if an object has a field that is set and not in `known`. `path` is the path of the object. */
export function demandKnown(given: object, known: readonly string[], path = ''): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || known.includes(name)) continue
    throw untranslatable(path === '' ? name : `${path}.${name}`)
  }
}

/** Removes fields that are not set. */
export const withoutUnset = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null))

/** A call of a function. Some servers send its arguments as an object. */
const Call = z.looseObject({
  id: z.string().catch(''),
  index: z.int().min(0).optional().catch(undefined),
  function: z.looseObject({
    name: z.string().catch(''),
    arguments: z
      .union([z.string(), z.looseObject({}).transform((given) => JSON.stringify(given))])
      .nullish()
      .transform((given) => given ?? ''),
  }),
})

/** The parts of a chat message that a translation reads. */
export const ChatMessage = z.looseObject({
  content: z.string().nullish().catch(null),
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(Call).nullish().catch(null),
})

export type ChatCall = z.output<typeof Call>

export const ChatUsage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.int().catch(0) })
    .nullish()
    .catch(null),
  completion_tokens_details: z
    .object({ reasoning_tokens: z.int().catch(0) })
    .nullish()
    .catch(null),
})

const Choice = z.looseObject({
  finish_reason: z.string().nullish().catch(null),
  stop_reason: z.unknown().optional(),
})

/** A complete answer that `readForwardedAnswer` has read. */
export const ChatAnswer = z.looseObject({
  choices: z.array(Choice.extend({ message: ChatMessage })).min(1),
  usage: ChatUsage,
})

export type ChatAnswer = z.output<typeof ChatAnswer>

/** A part of a stream that `createPassedStream` has read. */
export const ChatPiece = z.looseObject({
  choices: z.array(Choice.extend({ delta: ChatMessage.nullish() })),
  usage: ChatUsage.nullish().catch(null),
})

export type ChatPiece = z.output<typeof ChatPiece>

export interface ChatEnd {
  reason: string | null | undefined
  /** Stop sequence that the model wrote, if the server reports it, as vLLM does. */
  stopSequence: string | null
  usage: z.output<typeof ChatUsage>
}

/** Reads `stop_reason` of vLLM. It can also be the number of a token. */
export const readStopSequence = (given: unknown): string | null => (typeof given === 'string' ? given : null)
