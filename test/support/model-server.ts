import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from './postgres.ts'

/** A request to the test server. */
export interface ModelRequest {
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any
  /** Resolves when its connection has ended. */
  closed: Promise<unknown>
}

/** A test server with OpenAI’s API, like vLLM, llama.cpp and Ollama. */
export interface ModelServer {
  url: string
  asked: ModelRequest[]
  /** Overrides the response. Undefined uses the default. */
  answer: ((res: ServerResponse, asked: ModelRequest) => void) | undefined
}

export async function modelServer(t: Scope): Promise<ModelServer> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || 'null')
    const asked = { path: req.url ?? '', headers: req.headers, body, closed: once(res, 'close') }
    standIn.asked.push(asked)
    const answer = standIn.answer ?? (asked.path.endsWith('/embeddings') ? embeds : completes)
    answer(res, asked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const standIn: ModelServer = { url: `http://127.0.0.1:${port}/v1`, asked: [], answer: undefined }
  return standIn
}

export function json(res: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Responds with a model’s output as text or JSON. `more` is added to its message. */
export function says(res: ServerResponse, said: unknown, more: object = {}): void {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
  json(res, { choices: [{ message: { content, ...more }, finish_reason: 'stop' }], usage })
}

export const fault = (message: string, more: object = {}) => ({
  error: { message, type: 'x', param: null, code: null, ...more },
})

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

const textOf = (content: string | { text?: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')

/** Returns the output: a call of the first tool unless its result is the last message, JSON for a schema, otherwise the last message’s text. */
function messageOf({ tools, response_format, messages }: ModelRequest['body']): Record<string, unknown> {
  if (tools && messages.at(-1).role !== 'tool') {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: tools[0].function.name, arguments: '{"city":"Rīga"}' },
    }
    return { role: 'assistant', content: null, tool_calls: [call] }
  }
  const said = textOf(messages.at(-1).content)
  const content = response_format?.type === 'json_schema' ? JSON.stringify({ answer: said }) : `You said: ${said}`
  return { role: 'assistant', content, refusal: null }
}

function completes(res: ServerResponse, asked: ModelRequest): void {
  const { model, stream } = asked.body
  const message = messageOf(asked.body)
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop'
  const about = { id: 'chatcmpl-1', created: 1_700_000_000, model }
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason, logprobs: null }]
    json(res, { ...about, object: 'chat.completion', choices, usage })
    return
  }
  const { content, ...rest } = message
  const words = typeof content === 'string' ? content.split(/(?<= )/) : []
  beginStream(res)
  sendPiece(res, { choices: [{ index: 0, delta: { ...rest, ...withIndex(rest) }, finish_reason: null }] })
  for (const word of words) sendPiece(res, { choices: [{ index: 0, delta: { content: word }, finish_reason: null }] })
  sendPiece(res, { choices: [{ index: 0, delta: {}, finish_reason }] })
  if (asked.body.stream_options?.include_usage) sendPiece(res, { choices: [], usage })
  res.end('data: [DONE]\n\n')
}

/** Adds the index that streamed tool calls have. */
function withIndex({ tool_calls }: Record<string, unknown>): object {
  return Array.isArray(tool_calls) ? { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) } : {}
}

export const beginStream = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream' })

export function sendPiece(res: ServerResponse, piece: object): void {
  const about = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'the-model' }
  res.write(`data: ${JSON.stringify({ ...about, ...piece })}\n\n`)
}

/** Returns four numbers that are equal only for equal texts. */
export function vectorFor(text: string): number[] {
  const bytes = hash('sha256', text, 'buffer')
  return [0, 1, 2, 3].map((i) => Math.fround((bytes[i] ?? 0) / 255))
}

function embeds(res: ServerResponse, { body }: ModelRequest): void {
  const inputs: unknown[] = Array.isArray(body.input) ? body.input : [body.input]
  const data = inputs.map((input, index) => {
    const vector = Float32Array.from(vectorFor(String(input)))
    const embedding = body.encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    return { object: 'embedding', index, embedding }
  })
  const prompt_tokens = inputs.length * 2
  json(res, { object: 'list', model: body.model, data, usage: { prompt_tokens, total_tokens: prompt_tokens } })
}
