import { z } from 'zod'
import { LanguageEngineError, type TokenUsage } from '#tasks/ai/engine.ts'
import type { CompletionRequest, TellPiece } from '#tasks/ai/rules/gateway.ts'
import { estimateUsage } from '../../token-usage.ts'
import { malformedError } from '../faults.ts'
import type { OpenRequest } from '../open-request.ts'
import { getRequestText, getShownModel } from '../passed.ts'
import { type PassedStream, toBrokenOff } from '../passed-stream.ts'

const Tokens = z.int().min(0).max(100_000_000)

const Details = z.object({ cached_tokens: Tokens.nullish() }).nullish().catch(undefined)

const Usage = z
  .object({ input_tokens: Tokens, output_tokens: Tokens, input_tokens_details: Details })
  .transform(
    ({ input_tokens, output_tokens, input_tokens_details: details }): TokenUsage => ({
      prompt_tokens: input_tokens,
      completion_tokens: output_tokens,
      total_tokens: input_tokens + output_tokens,
      ...(details?.cached_tokens && { cached_tokens: details.cached_tokens }),
    }),
  )
  .nullish()
  .catch(undefined)

/** Contains only the fields that Millrace reads. Other fields are passed on unchanged. */
const ResponseBody = z.looseObject({ output: z.array(z.looseObject({})), usage: z.unknown().optional() })

const ResponseEvent = z.looseObject({
  type: z.string().min(1).max(100),
  delta: z.unknown().optional(),
  response: z.looseObject({ usage: z.unknown().optional() }).optional(),
})

const endings = new Set(['response.completed', 'response.incomplete'])
const failures = new Set(['response.failed', 'error'])

const failedError = (usage?: TokenUsage) =>
  new LanguageEngineError('upstream_error', 'The upstream model failed.', { retryable: true, usage })

/** Passes a request to a server with the Responses API. The server must not store the response. */
export function openPassedResponse(request: CompletionRequest, model: string): OpenRequest {
  const { stream: _stream, metadata, ...rest } = request
  const shown = { model: getShownModel(request, model), metadata: metadata ?? {}, store: false }
  const estimate = (written: string) => estimateUsage([getRequestText(request)], written)
  return {
    body: { ...rest, model, store: false },
    read(raw) {
      const { data } = ResponseBody.safeParse(raw)
      if (!data) throw malformedError()
      const told = Usage.parse(data.usage)
      if (data.status === 'failed') throw failedError(told ?? undefined)
      const usage = told ?? estimate(JSON.stringify(data.output))
      return { engine: 'upstream', model, usage, completion: { ...data, ...shown } }
    },
    listen: (tell) => createStream(shown, estimate, tell),
  }
}

function createStream(shown: object, estimate: (written: string) => TokenUsage, tell: TellPiece): PassedStream {
  let begun = false
  let ended = false
  let written = 0
  let told: TokenUsage | undefined
  const usage = () => told ?? estimate('x'.repeat(written))
  return {
    get begun() {
      return begun
    },
    async take(raw) {
      const { data } = ResponseEvent.safeParse(raw)
      if (!data || ended) throw malformedError()
      const { type, delta, response } = data
      told = Usage.parse(response?.usage) ?? told
      if (failures.has(type)) throw failedError(told)
      if (!type.startsWith('response.')) return
      if (typeof delta === 'string') written += delta.length
      ended = endings.has(type)
      begun = true
      await tell({ ...data, ...(response && { response: { ...response, ...shown } }) })
    },
    async end() {
      if (!ended) throw malformedError()
    },
    usage,
    broken: (error) => (begun ? toBrokenOff(error, usage()) : error),
  }
}
