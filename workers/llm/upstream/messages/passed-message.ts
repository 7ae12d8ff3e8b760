import { z } from 'zod'
import { LanguageEngineError, type TokenUsage } from '#tasks/ai/engine.ts'
import type { CompletionRequest, TellPiece } from '#tasks/ai/rules/gateway.ts'
import { estimateUsage } from '../../token-usage.ts'
import { malformedError } from '../faults.ts'
import type { OpenRequest } from '../open-request.ts'
import { getRequestText, getShownModel } from '../passed.ts'
import { type PassedStream, toBrokenOff } from '../passed-stream.ts'

const Tokens = z.int().min(0).max(100_000_000).nullish().catch(undefined)

const Usage = z
  .object({
    input_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
    cache_read_input_tokens: Tokens,
    output_tokens: Tokens,
  })
  .nullish()
  .catch(undefined)

type Reported = z.output<typeof Usage>

/** Contains only the fields that Millrace reads. Other fields are passed on unchanged. */
const MessageBody = z.looseObject({ content: z.array(z.looseObject({})), usage: z.unknown().optional() })

const MessageEvent = z.looseObject({
  type: z.string().min(1).max(100),
  delta: z.looseObject({}).optional(),
  message: z.looseObject({ usage: z.unknown().optional() }).optional(),
  usage: z.unknown().optional(),
})

/** Returns the cost. Input that the server read from its cache or stored there also counts. */
function costOf(reported: Reported): TokenUsage | undefined {
  if (!reported) return undefined
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = reported
  if (input_tokens === undefined || output_tokens === undefined) return undefined
  const prompt_tokens = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
  const completion_tokens = output_tokens ?? 0
  const cached = cache_read_input_tokens ? { cached_tokens: cache_read_input_tokens } : {}
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ...cached }
}

/** Passes a request to a server with the Messages API. */
export function openPassedMessage(request: CompletionRequest, model: string): OpenRequest {
  const { stream: _stream, ...rest } = request
  const shown = { model: getShownModel(request, model) }
  const estimate = (written: string) => estimateUsage([getRequestText(request)], written)
  return {
    body: { ...rest, model },
    read(raw) {
      const { data } = MessageBody.safeParse(raw)
      if (!data) throw malformedError()
      const usage = costOf(Usage.parse(data.usage)) ?? estimate(JSON.stringify(data.content))
      return { engine: 'upstream', model, usage, completion: { ...data, ...shown } }
    },
    listen: (tell) => createStream(shown, estimate, tell),
  }
}

/** Events of the API. Others are not passed on, because clients must ignore unknown events. */
const known = new Set([
  ...['message_start', 'message_delta', 'message_stop', 'ping'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
])

const lengthOf = (delta: object = {}): number =>
  Object.values(delta).reduce((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0)

function createStream(shown: object, estimate: (written: string) => TokenUsage, tell: TellPiece): PassedStream {
  let begun = false
  let ended = false
  let written = 0
  let reported: Reported

  const usage = (): TokenUsage => {
    const estimated = estimate('x'.repeat(written))
    const told = costOf({ ...reported, output_tokens: ended ? reported?.output_tokens : estimated.completion_tokens })
    return told ?? estimated
  }

  /** Later reports replace earlier ones field by field. */
  const report = (given: unknown) => {
    const told = Usage.parse(given) ?? {}
    const set = Object.fromEntries(Object.entries(told).filter(([, tokens]) => typeof tokens === 'number'))
    reported = { ...reported, ...set }
  }

  return {
    get begun() {
      return begun
    },
    async take(raw) {
      const { data } = MessageEvent.safeParse(raw)
      if (!data || ended) throw malformedError()
      const { type, delta, message, usage: given } = data
      if (type === 'error')
        throw new LanguageEngineError('upstream_error', 'The upstream model failed.', { retryable: true })
      if (!known.has(type)) return
      report(message?.usage)
      report(given)
      written += lengthOf(delta)
      ended = type === 'message_stop'
      // A ping does not show that an answer has started.
      begun ||= type !== 'ping'
      if (begun) await tell({ ...data, ...(message && { message: { ...message, ...shown } }) })
    },
    async end() {
      if (!ended) throw malformedError()
    },
    usage,
    broken: (error) => (begun ? toBrokenOff(error, usage()) : error),
  }
}
