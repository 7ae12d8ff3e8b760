import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sending } from '../email/sending.ts'
import type { Reply, TestScope } from '../support/ingress.ts'

/** The parts of a tool’s result that tests read. */
export interface Result {
  isError?: boolean
  content: { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape.
  structuredContent?: any
}

export interface McpClient {
  listTools(): Promise<{ tools: { name: string; annotations?: Record<string, unknown> }[] }>
  call(name: string, given?: Record<string, unknown>): Promise<Result>
  client: CurrentClient | EarlierClient
}

const who = { name: 'test', version: '1' }

/** Connects a client of the packages since 2026. `mode`: the protocol that it uses. */
export async function connectCurrent(
  t: TestScope,
  url: string,
  key: string,
  mode: 'auto' | 'legacy' | { pin: string } = { pin: '2026-07-28' },
): Promise<McpClient> {
  const client = new CurrentClient(who, { versionNegotiation: { mode } } as never)
  const transport = new CurrentTransport(new URL('/mcp', url), { requestInit: { headers: authorized(key) } })
  await client.connect(transport as never)
  t.teardown(() => client.close())
  return {
    client,
    listTools: () => client.listTools() as never,
    call: (name, given = {}) => client.callTool({ name, arguments: given }) as never,
  }
}

/** Connects a client of the package until 2025. */
export async function connectEarlier(t: TestScope, url: string, key: string): Promise<McpClient> {
  const client = new EarlierClient(who)
  const transport = new EarlierTransport(new URL('/mcp', url), { requestInit: { headers: authorized(key) } })
  await client.connect(transport as never)
  t.teardown(() => client.close())
  return {
    client,
    listTools: () => client.listTools() as never,
    call: (name, given = {}) => client.callTool({ name, arguments: given }) as never,
  }
}

const authorized = (key: string) => ({ authorization: `Bearer ${key}` })

/** The API with the areas whose tools the tests call. */
export async function mcpStack(t: TestScope) {
  const stack = await sending(t, ['mcp', 'docs', 'account', 'jobs', 'geo'])
  /** Posts a message without a client of the protocol. */
  const post = (key: string | undefined, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    stack.ingress.ask('POST /mcp', { ...(key && { key }), body, headers })
  return { ...stack, url: stack.ingress.url, post }
}

export const rpc = (method: string, params: unknown = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params })
