import type { Api } from '#lib/config/ai-upstreams.ts'
import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import type { Server } from './connection.ts'
import { openPassedMessage } from './messages/passed-message.ts'
import { openTranslatedMessage } from './messages/translated.ts'
import type { OpenRequest } from './open-request.ts'
import type { Parameters } from './parameters.ts'
import { readForwardedAnswer } from './passed.ts'
import { createPassedStream } from './passed-stream.ts'
import { openPassedResponse } from './responses/passed-response.ts'
import { openTranslatedResponse } from './responses/translated.ts'

/** Sends requests of one API to a server: unchanged, or translated to chat completions. */
interface Dialect {
  path: string
  /** Fields that a stream needs. */
  streamOptions: object
  parametersOf(server: Server): Parameters
  /** Throws if a field of the request cannot be translated. */
  open(request: CompletionRequest, model: string): OpenRequest
}

const chat: Dialect = {
  path: '/chat/completions',
  streamOptions: { stream_options: { include_usage: true } },
  parametersOf: ({ passing }) => passing,
  open(request, model) {
    const { stream: _stream, stream_options: _options, ...rest } = request
    return {
      body: { ...rest, model },
      read: (raw) => readForwardedAnswer(raw, request, model),
      listen: (tell) => createPassedStream(request, tell),
    }
  },
}

const translating = { ...chat, parametersOf: ({ translating }: Server) => translating }
const passing = { streamOptions: {}, parametersOf: ({ passing }: Server) => passing }

const passed: Record<Api, Dialect> = {
  chat,
  responses: { ...passing, path: '/responses', open: openPassedResponse },
  messages: { ...passing, path: '/messages', open: openPassedMessage },
}

const translated: Record<Api, Dialect> = {
  chat,
  responses: { ...translating, open: openTranslatedResponse },
  messages: { ...translating, open: openTranslatedMessage },
}

export const dialectOf = (api: Api, { settings }: Pick<Server, 'settings'>): Dialect =>
  (settings.speaks.includes(api) ? passed : translated)[api]
