import { z } from 'zod'
import type { ChatReply, TokenUsage } from '#tasks/ai/engine.ts'

const Tokens = z.int().min(0).max(100_000_000)

const Details = z.object({ cached_tokens: Tokens.nullish() }).nullish().catch(undefined)

/** Reported token usage. Undefined if the report is invalid. */
export const Usage = z
  .object({ prompt_tokens: Tokens, completion_tokens: Tokens, prompt_tokens_details: Details })
  .transform(
    ({ prompt_tokens_details: details, ...cost }): TokenUsage => ({
      ...cost,
      total_tokens: cost.prompt_tokens + cost.completion_tokens,
      ...(details?.cached_tokens && { cached_tokens: details.cached_tokens }),
    }),
  )
  .nullish()
  .catch(undefined)

/** Returns the reported usage. If the sum is missing, calculates it. */
export function readUsage(given: unknown, usage: TokenUsage): Record<string, unknown> {
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  const told = given as Record<string, unknown>
  const total = Tokens.safeParse(told.total_tokens).data
  return { ...told, prompt_tokens, completion_tokens, total_tokens: total ?? total_tokens }
}

const ToolCalls = z
  .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
  .nullish()
  .catch(undefined)

export type ToolCall = NonNullable<z.infer<typeof ToolCalls>>[number]

export const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish(), tool_calls: ToolCalls }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: Usage,
})

export const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: Usage,
})

export interface ModelReply {
  content: string
  refused: boolean
  finish_reason: ChatReply['finish_reason']
  usage: TokenUsage | undefined
}

export function readReply(
  content: string,
  refusal: string | null | undefined,
  reason: string | null | undefined,
  usage: TokenUsage | null | undefined,
): ModelReply {
  const refused = Boolean(refusal) || reason === 'content_filter'
  const finish_reason = refused ? 'content_filter' : reason === 'length' ? 'length' : 'stop'
  return { content: withoutThoughts(content), refused, finish_reason, usage: usage ?? undefined }
}

/** Tags around the reasoning of a model, if its server does not remove it. */
export const reasoningTags = { begin: '<think>', end: '</think>' }

function withoutThoughts(content: string): string {
  const start = content.trimStart()
  if (!start.startsWith(reasoningTags.begin)) return content
  const end = start.indexOf(reasoningTags.end)
  return end < 0 ? '' : start.slice(end + reasoningTags.end.length).trimStart()
}
