import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

/** A request that the fake server was sent. */
export interface Asked {
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any
  /** Resolves when its connection has ended. */
  closed: Promise<unknown>
}

/** A server in place of a model's, which answers as a test says. */
export interface FakeUpstream {
  url: string
  asked: Asked[]
  answer: (res: ServerResponse, asked: Asked) => void
}

export async function fakeUpstream(t: Scope): Promise<FakeUpstream> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || 'null')
    const asked = { path: req.url ?? '', headers: req.headers, body, closed: once(res, 'close') }
    fake.asked.push(asked)
    fake.answer(res, asked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    answer: (res) => res.end(),
  }
  return fake
}

/** Answers with JSON. */
export function json(res: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Answers with what a model says. */
export const says = (res: ServerResponse, content: unknown, more: object = {}): void =>
  json(res, {
    choices: [
      {
        message: { content: typeof content === 'string' ? content : JSON.stringify(content), ...more },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })

/** An error as OpenAI's API has it. */
export const fault = (message: string, more: object = {}) => ({
  error: { message, type: 'x', param: null, code: null, ...more },
})
