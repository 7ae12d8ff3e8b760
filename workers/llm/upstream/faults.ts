import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { LanguageEngineError, type TokenUsage } from '#tasks/ai/engine.ts'
import type { RequestFault } from '#tasks/ai/rules/gateway.ts'
import { SilentServerError } from './bounded-fetch.ts'

const contextLength = /context[ _](length|window|size)|maximum context|too many tokens|prompt is too long/i

/** True if a retry may help: the server is busy, failing or unavailable. */
const isTransient = (status: number) => status === 408 || status === 409 || status === 429 || status >= 500

/** The server rejects the tools of a request, but not its texts. */
export class ToolsRefusedError extends LanguageEngineError {}

/** Returns the fault if a server's error mentions tools, otherwise returns undefined. */
export function toToolsRefused(error: unknown): ToolsRefusedError | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422) || saysTooLong(error))
    return undefined
  const isOfTools = error.param ? error.param.startsWith('tool') : error.message.toLowerCase().includes('tool')
  if (!isOfTools) return undefined
  const facts = { upstreamStatus: error.status, requestFault: getRejectionCode(error) }
  return new ToolsRefusedError('upstream_error', `The upstream model returned ${error.status}.`, facts)
}

/**
 * Maps an upstream error to a public error. Keeps the status, but not the text, which may contain other people's data.
 */
export function toEngineError(error: unknown): LanguageEngineError {
  if (error instanceof LanguageEngineError) return error
  if (error instanceof APIConnectionError && error.cause instanceof LanguageEngineError) return error.cause
  const status = error instanceof APIError && typeof error.status === 'number' ? error.status : null
  if (status === null) {
    return new LanguageEngineError('upstream_error', 'The upstream model returned an incomplete answer.', {
      retryable: true,
      timedOut: isTimeout(error),
    })
  }
  if ((status === 400 || status === 413 || status === 422) && saysTooLong(error as APIError)) {
    return new LanguageEngineError('input_too_long', 'The text is too long for the upstream model.', {
      upstreamStatus: status,
    })
  }
  const retryable = isTransient(status)
  return new LanguageEngineError('upstream_error', `The upstream model returned ${status}.`, {
    upstreamStatus: status,
    retryable,
    timedOut: status === 408 || status === 504,
    ...((status === 400 || status === 422) && { requestFault: getRejectionCode(error as APIError) }),
  })
}

/** True if the server was silent for too long, or the answer took too long. */
const isTimeout = (error: unknown): boolean =>
  error instanceof APIConnectionTimeoutError ||
  error instanceof SilentServerError ||
  (error instanceof DOMException && error.name === 'TimeoutError')

/** Returns the identifiers of a rejection. Excludes sentences, which may contain other people's data. */
function getRejectionCode({ code, param }: APIError): RequestFault {
  const word = (given: unknown) => (typeof given === 'string' && /^[\w.[\]-]{1,100}$/.test(given) ? given : undefined)
  return { kind: 'refused', code: word(code), param: word(param) }
}

const saysTooLong = ({ code, message, status }: APIError) =>
  code === 'context_length_exceeded' || status === 413 || contextLength.test(message)

export const malformedError = (usage?: TokenUsage): LanguageEngineError =>
  new LanguageEngineError('upstream_error', 'The upstream model returned an invalid answer.', {
    upstreamStatus: 200,
    retryable: true,
    usage,
  })

export const refusedError = (usage?: TokenUsage): LanguageEngineError =>
  new LanguageEngineError('content_refused', 'The upstream model refused.', { upstreamStatus: 200, usage })
