import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { LanguageEngineError, type TokenUsage } from '#tasks/ai/engine.ts'
import type { CompletionRequest, TellPiece } from '#tasks/ai/rules/gateway.ts'
import { estimateUsage } from '../token-usage.ts'
import { readUsage, Usage } from './completion.ts'
import { malformedError } from './faults.ts'
import { getRequestText, getShownModel } from './passed.ts'

/** Contains only the fields that Millrace reads. Other fields are passed on unchanged. */
const Piece = z.looseObject({
  id: z.string().max(200).catch(''),
  created: z.int().min(0).catch(0),
  choices: z.array(
    z.looseObject({ delta: z.looseObject({}).nullish(), finish_reason: z.string().nullish().catch(undefined) }),
  ),
})

/** Returns the failure of an answer that was sent in part, with its cost. */
export function toBrokenOff(error: unknown, usage: TokenUsage): unknown {
  if (!(error instanceof LanguageEngineError)) return error
  return new LanguageEngineError('upstream_error', 'The upstream response ended early.', {
    upstreamStatus: error.upstreamStatus,
    retryable: true,
    usage,
  })
}

export interface PassedStream {
  /** True after the first part was sent. Then no other server can take over. */
  readonly begun: boolean
  take(raw: unknown, model: string): Promise<void>
  /** Throws if the stream ended without a final part. */
  end(): Promise<void>
  usage(): TokenUsage
  broken(error: unknown): unknown
}

/** Reads a streamed answer and sends each part. Usage is sent only to clients that requested it. */
export function createPassedStream(request: CompletionRequest, tell: TellPiece): PassedStream {
  const wantsUsage = request.stream_options?.include_usage === true
  let begun = false
  let ended = false
  let written = 0
  let told: TokenUsage | undefined
  let isTold = false
  let about = {
    id: `chatcmpl-${newId()}`,
    created: Math.floor(Date.now() / 1000),
    object: 'chat.completion.chunk',
    model: request.model,
  }

  async function pass(piece: Record<string, unknown>): Promise<void> {
    begun = true
    await tell(piece)
  }

  function note({ id, created, choices }: z.output<typeof Piece>, model: string): void {
    about = { ...about, id: id || about.id, created: created || about.created, model: getShownModel(request, model) }
    for (const { delta, finish_reason } of choices) {
      if (finish_reason) ended = true
      if (delta) written += JSON.stringify(Object.values(delta).filter((value) => value !== null)).length - 2
    }
  }

  const usage = () => told ?? estimateUsage([getRequestText(request)], 'x'.repeat(written))

  return {
    get begun() {
      return begun
    },
    async take(raw, model) {
      const { data: piece } = Piece.safeParse(raw)
      if (!piece) throw malformedError()
      const { usage: given, ...rest } = piece
      const cost = Usage.parse(given)
      told = cost ?? told
      note(piece, model)
      if (piece.choices.length === 0 && given && !wantsUsage) return
      if (cost && wantsUsage) isTold = true
      await pass({ ...rest, ...about, ...(wantsUsage && { usage: cost ? readUsage(given, cost) : null }) })
    },
    async end() {
      if (!ended) throw malformedError()
      if (wantsUsage && !isTold) await pass({ ...about, choices: [], usage: usage() })
    },
    usage,
    broken: (error) => (begun ? toBrokenOff(error, usage()) : error),
  }
}
