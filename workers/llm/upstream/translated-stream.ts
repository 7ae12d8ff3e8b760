import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import { malformedError } from './faults.ts'
import { createPassedStream, type PassedStream } from './passed-stream.ts'
import { type ChatCall, type ChatEnd, ChatPiece, readStopSequence } from './translation.ts'

/** Writes an answer in another API while it streams. */
export interface AnswerEvents {
  start(): Promise<void>
  text(text: string): Promise<void>
  refusal(text: string): Promise<void>
  call(call: ChatCall): Promise<void>
  callArguments(text: string): Promise<void>
  end(end: ChatEnd): Promise<void>
}

/** Reads the stream of a chat completion and writes it as events of another API. */
export function translateStream(asked: CompletionRequest, events: AnswerEvents): PassedStream {
  let started = false
  let current: { index: number; id: string } | undefined
  let lastIndex = -1
  const end: Omit<ChatEnd, 'usage'> & Partial<Pick<ChatEnd, 'usage'>> = { reason: undefined, stopSequence: null }

  /** Calls arrive one after the other. Some servers give all calls the same index, so a new ID also starts a call. */
  async function takeCall(call: ChatCall): Promise<void> {
    const { index = lastIndex + 1, id } = call
    const isNew = !current || current.index !== index || (id !== '' && id !== current.id)
    if (!isNew) return await events.callArguments(call.function.arguments)
    if (index < lastIndex || call.function.name === '') throw malformedError()
    current = { index, id: id || `call_${index}` }
    lastIndex = index
    await events.call({ ...call, id: current.id })
  }

  async function takeDelta({ content, refusal, tool_calls }: NonNullable<ChatPiece['choices'][number]['delta']>) {
    if (content) await events.text(content)
    if (refusal) await events.refusal(refusal)
    for (const call of tool_calls ?? []) await takeCall(call)
  }

  async function take(raw: Record<string, unknown>): Promise<void> {
    const piece = ChatPiece.safeParse(raw).data
    if (!piece) throw malformedError()
    if (!started) await events.start()
    started = true
    if (piece.usage) end.usage = piece.usage
    for (const { delta, finish_reason, stop_reason } of piece.choices) {
      if (delta) await takeDelta(delta)
      if (finish_reason) Object.assign(end, { reason: finish_reason, stopSequence: readStopSequence(stop_reason) })
    }
  }

  const heard = createPassedStream({ ...asked, stream_options: { include_usage: true } }, take)
  return {
    get begun() {
      return heard.begun
    },
    take: heard.take,
    async end() {
      await heard.end()
      await events.end({ ...end, usage: end.usage ?? heard.usage() })
    },
    usage: heard.usage,
    broken: heard.broken,
  }
}
