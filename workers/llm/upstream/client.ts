import OpenAI from 'openai'
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { estimatedUsage } from '../token-usage.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { Chunk, Completion, type ModelReply, replyOf } from './completion.ts'
import { faultOf, malformed } from './faults.ts'
import { createParameters } from './parameters.ts'
import { createStreamedReply } from './streamed-reply.ts'

/** Where the model is, and how long it may take. */
export interface UpstreamSettings {
  baseUrl: string
  apiKey: string
  model: string
  moderationModel: string | undefined
  timeoutMs: number
  retries: number
  /** Requests of one organisation at once. */
  share: number
}

/** What a model is asked. */
export interface Prompt {
  messages: ChatCompletionMessageParam[]
  maxTokens: number
  temperature?: number | undefined
  responseFormat?: ChatCompletionCreateParamsNonStreaming['response_format']
}

/** An answer with what it cost, told or estimated. */
export type CostedReply = ModelReply & { usage: NonNullable<ModelReply['usage']> }

/** A server that speaks OpenAI's API; what it throws is fit for clients, but for the signal's reason. */
export interface Upstream {
  complete(prompt: Prompt, signal: AbortSignal): Promise<CostedReply>
  /** The same, with the text as it comes. */
  stream(prompt: Prompt, signal: AbortSignal, onDelta: (text: string) => void): Promise<CostedReply>
  /** The raw answer of its moderation; null when it has none. */
  moderate(input: readonly string[], signal: AbortSignal): Promise<unknown>
}

/** Milliseconds for one answer, tries included. */
const deadlineMs = 80_000

/** What the requests of all organisations to one server share. */
export interface Server {
  settings: UpstreamSettings
  parameters: ReturnType<typeof createParameters>
  breaker: Breaker
}

/** What is known of a server before it was asked anything. */
export const createServer = (settings: UpstreamSettings): Server => ({
  settings,
  parameters: createParameters(),
  breaker: createBreaker(deadlineMs),
})

/** Opens the client of a server for an organisation. */
export function createUpstream({ settings, parameters, breaker }: Server, asker: string): Upstream {
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey || 'none',
    // The SDK would read these from the environment, and send them along.
    organization: null,
    project: null,
    logLevel: 'off',
    ...(settings.apiKey === '' && { defaultHeaders: { authorization: null } }),
    // The fetch has the time-out that counts; the SDK's own would pass for the caller's going away.
    timeout: settings.timeoutMs + 5_000,
    maxRetries: settings.retries,
    fetch: boundedFetch(settings.timeoutMs, () => breaker.enter(asker)),
  })

  const paramsOf = ({ messages, maxTokens, temperature, responseFormat }: Prompt) => ({
    model: settings.model,
    messages,
    max_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(responseFormat && { response_format: responseFormat }),
  })

  /** Does a request, again as long as the server names a parameter that can be left out. */
  async function send<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    breaker.check(asker)
    const either = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
    for (;;) {
      try {
        return await abortable(either, request(either))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (!parameters.learn(error)) throw faultOf(error)
      }
    }
  }

  const costed = ({ messages }: Prompt, completed: ModelReply): CostedReply => ({
    ...completed,
    usage:
      completed.usage ??
      estimatedUsage(
        messages.map(({ content }) => String(content)),
        completed.content,
      ),
  })

  return {
    async complete(prompt, signal) {
      const raw: unknown = await send(signal, (either) =>
        client.chat.completions.create(parameters.fit(paramsOf(prompt)), { signal: either }),
      )
      const parsed = Completion.safeParse(raw)
      const choice = parsed.data?.choices[0]
      if (!choice) throw malformed()
      const { message, finish_reason } = choice
      return costed(prompt, replyOf(message.content ?? '', message.refusal, finish_reason, parsed.data?.usage))
    },
    async stream(prompt, signal, onDelta) {
      return await send(signal, async (either) => {
        const params = { ...paramsOf(prompt), stream: true as const, stream_options: { include_usage: true } }
        const chunks = await client.chat.completions.create(parameters.fit(params), { signal: either })
        const heard = createStreamedReply(onDelta)
        for await (const raw of chunks) {
          const chunk = Chunk.safeParse(raw)
          if (!chunk.success) throw malformed()
          heard.take(chunk.data)
        }
        return costed(prompt, heard.end())
      })
    },
    async moderate(input, signal) {
      const model = settings.moderationModel
      try {
        return await send(signal, (either) =>
          client.moderations.create({ input: [...input], ...(model !== undefined && { model }) }, { signal: either }),
        )
      } catch (error) {
        if (!signal.aborted && [404, 405, 501].includes(faultOf(error).upstreamStatus ?? 0)) return null
        throw error
      }
    },
  }
}

/** What comes first, the result or the signal's reason: the SDK sleeps between tries without an ear for signals. */
async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
