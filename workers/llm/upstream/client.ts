import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { estimateUsage } from '../token-usage.ts'
import { Chunk, Completion, type ModelReply, readReply, type ToolCall } from './completion.ts'
import { connect, type Server } from './connection.ts'
import { malformedError, toEngineError, toToolsRefused } from './faults.ts'
import { tryInOrder } from './in-order.ts'
import { createStreamedReply } from './streamed-reply.ts'

export interface Prompt {
  messages: ChatCompletionMessageParam[]
  maxTokens: number
  temperature?: number | undefined
  responseFormat?: ChatCompletionCreateParamsNonStreaming['response_format']
  tools?: Pick<ChatCompletionCreateParamsNonStreaming, 'tools' | 'tool_choice'>
}

export type CostedReply = ModelReply & { usage: NonNullable<ModelReply['usage']> }

/**
 * Servers with OpenAI's API. The first available server is used. Clients may see thrown errors, except for the signal's
 * reason.
 */
export interface Upstream {
  /** Throws `ToolsRefusedError` if the server rejects the tools of the prompt. */
  complete(prompt: Prompt, signal: AbortSignal): Promise<CostedReply & { calls: readonly ToolCall[] }>
  stream(prompt: Prompt, signal: AbortSignal, onDelta: (text: string) => void): Promise<CostedReply>
  /** Returns the raw moderation of the first server, or `null` if the server has no moderation. */
  moderate(input: readonly string[], signal: AbortSignal): Promise<unknown>
  readonly model: string
}

const firstModelOf = ({ settings }: Server): string => settings.models[0]?.real ?? ''

export function createUpstream(servers: readonly [Server, ...Server[]], asker: string): Upstream {
  const [first] = servers
  const withModels = servers.filter((server) => firstModelOf(server) !== '' && server.settings.speaks.includes('chat'))
  let model = firstModelOf(first)

  const paramsOf = (server: Server, { messages, maxTokens, temperature, responseFormat, tools }: Prompt) => ({
    model: firstModelOf(server),
    messages,
    max_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(responseFormat && { response_format: responseFormat }),
    ...tools,
  })

  const costed = ({ messages }: Prompt, completed: ModelReply): CostedReply => ({
    ...completed,
    usage:
      completed.usage ??
      estimateUsage(
        messages.map(({ content }) => String(content)),
        completed.content,
      ),
  })

  return {
    complete: (prompt, signal) =>
      tryInOrder(withModels, async (server, hasOther) => {
        const { client, send } = connect(server, asker, { hasOther })
        const raw: unknown = await send(signal, (either) =>
          client.chat.completions
            .create(server.parameters.fit(paramsOf(server, prompt)), { signal: either })
            .catch((error) => {
              throw (prompt.tools && toToolsRefused(error)) ?? error
            }),
        )
        const parsed = Completion.safeParse(raw)
        const choice = parsed.data?.choices[0]
        if (!choice) throw malformedError()
        model = firstModelOf(server)
        const { message, finish_reason } = choice
        const reply = readReply(message.content ?? '', message.refusal, finish_reason, parsed.data?.usage)
        return { ...costed(prompt, reply), calls: message.tool_calls ?? [] }
      }),
    stream(prompt, signal, onDelta) {
      let begun = false
      const tell = (text: string) => {
        begun = true
        onDelta(text)
      }
      const answer = async (server: Server, hasOther: boolean) => {
        const { client, send } = connect(server, asker, { hasOther })
        return await send(signal, async (either) => {
          const params = {
            ...paramsOf(server, prompt),
            stream: true as const,
            stream_options: { include_usage: true },
          }
          const chunks = await client.chat.completions.create(server.parameters.fit(params), { signal: either })
          const heard = createStreamedReply(tell)
          for await (const raw of chunks) {
            const chunk = Chunk.safeParse(raw)
            if (!chunk.success) throw malformedError()
            heard.take(chunk.data)
          }
          model = firstModelOf(server)
          return costed(prompt, heard.end())
        })
      }
      return tryInOrder(withModels, answer, () => begun)
    },
    async moderate(input, signal) {
      const { client, send } = connect(first, asker)
      const moderation = first.settings.moderationModel
      try {
        return await send(signal, (either) =>
          client.moderations.create(
            { input: [...input], ...(moderation !== undefined && { model: moderation }) },
            { signal: either },
          ),
        )
      } catch (error) {
        if (!signal.aborted && [404, 405, 501].includes(toEngineError(error).upstreamStatus ?? 0)) return null
        throw error
      }
    },
    get model() {
      return model
    },
  }
}
