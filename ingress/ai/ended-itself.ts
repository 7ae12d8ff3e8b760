import { z } from 'zod'
import type { Api } from '#lib/config/ai-upstreams.ts'

/** Returns the data of server-sent events. */
export const readEvents = (text: string): unknown[] =>
  text
    .split('\n\n')
    .flatMap((event) => event.split('\n').find((line) => line.startsWith('data: ')) ?? [])
    .map((line) => JSON.parse(line.slice('data: '.length)))

/** True if the model ended the response itself: it calls no tools and was not cut off or filtered. */
export const hasEndedItself = (api: Api, parts: readonly unknown[]): boolean => checks[api](parts)

const checks: Record<Api, (parts: readonly unknown[]) => boolean> = {
  chat: hasChatEnded,
  responses: (parts) => parts.some((part) => isEndedResponse(part)),
  messages: (parts) => parts.some((part) => isEndedMessage(part)),
}

const ChatPart = z.looseObject({
  choices: z.array(z.looseObject({ index: z.number().catch(0), finish_reason: z.string().nullish() })),
})

function hasChatEnded(parts: readonly unknown[]): boolean {
  const ended = new Map<number, boolean>()
  for (const raw of parts) {
    const { data } = ChatPart.safeParse(raw)
    if (!data) return false
    for (const { index, finish_reason } of data.choices) {
      if (finish_reason) ended.set(index, finish_reason === 'stop')
      else if (!ended.has(index)) ended.set(index, false)
    }
  }
  return ended.size > 0 && [...ended.values()].every(Boolean)
}

const Response = z.looseObject({
  status: z.literal('completed'),
  output: z.array(z.looseObject({ type: z.enum(['message', 'reasoning']) })),
})

const isEndedResponse = (part: unknown): boolean =>
  Response.safeParse(part).success || Response.safeParse((part as { response?: unknown } | null)?.response).success

const Message = z.looseObject({ stop_reason: z.enum(['end_turn', 'stop_sequence']) })

const isEndedMessage = (part: unknown): boolean =>
  Message.safeParse(part).success || Message.safeParse((part as { delta?: unknown } | null)?.delta).success
