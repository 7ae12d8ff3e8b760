import type { z } from 'zod'
import type { TokenUsage } from '#tasks/ai/engine.ts'
import { type Chunk, type ModelReply, readReply, reasoningTags } from './completion.ts'
import { malformedError } from './faults.ts'

export interface StreamedReply {
  take(chunk: z.infer<typeof Chunk>): void
  /** Returns the complete answer. Throws if nothing arrived. */
  end(): ModelReply
}

/** Reads a streamed answer and passes on its text without the reasoning before it. */
export function createStreamedReply(onDelta: (text: string) => void): StreamedReply {
  let whole = ''
  let passed: number | undefined
  let refusal = ''
  let reason: string | undefined
  let usage: TokenUsage | undefined

  function pass(): void {
    passed ??= findTextStart(whole)
    if (passed === undefined || passed >= whole.length) return
    onDelta(whole.slice(passed))
    passed = whole.length
  }

  return {
    take(chunk) {
      usage = chunk.usage ?? usage
      const choice = chunk.choices?.[0]
      if (!choice) return
      refusal += choice.delta?.refusal ?? ''
      reason = choice.finish_reason ?? reason
      whole += choice.delta?.content ?? ''
      pass()
    },
    end() {
      if (reason === undefined && whole === '' && refusal === '') throw malformedError(usage)
      return readReply(whole, refusal, reason, usage)
    },
  }
}

function findTextStart(whole: string): number | undefined {
  const start = whole.trimStart()
  if (start === '') return undefined
  if (!reasoningTags.begin.startsWith(start.slice(0, reasoningTags.begin.length))) return 0
  const end = whole.indexOf(reasoningTags.end)
  if (end < 0) return undefined
  const after = end + reasoningTags.end.length
  const rest = whole.slice(after)
  return rest.trim() === '' ? undefined : after + (rest.length - rest.trimStart().length)
}
