import {
  APIError,
  BadRequestError,
  guard,
  Listing,
  Millrace,
  MillraceError,
  type ServerEvent,
  webhooks,
} from '../../sdk/node/src/index.ts'
import type { CallError, Outcome, Program } from './shared-list.ts'

type Call = Program['calls'][number]
type Known = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: helpers are given what the list says.
type Args = any

/** Makes the calls of the list with the Node client. */
export async function runWithNode({ given, calls }: Program): Promise<Record<string, Outcome>> {
  const known: Known = { ...given }
  const outcomes: Record<string, Outcome> = {}
  for (const call of calls) {
    try {
      const answer = JSON.parse(JSON.stringify((await made(call, known)) ?? null))
      known[call.id] = answer
      outcomes[call.id] = { answer }
    } catch (error) {
      outcomes[call.id] = { error: reported(error) }
    }
  }
  return outcomes
}

/** A value with what it names put in: `$app.id` is that field of the answer of the call `app`. */
function filled(value: unknown, known: Known): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    const [name = '', ...fields] = value.slice(1).split('.')
    return fields.reduce((inner, field) => (inner as Known | undefined)?.[field], known[name])
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, known))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, known)]))
}

async function made(call: Call, known: Known): Promise<unknown> {
  const { idempotency_key, timeout_ms, max_retries } = call.options ?? {}
  const client = new Millrace({ baseUrl: call.base_url, apiKey: call.api_key ?? undefined, maxRetries: max_retries })
  const args = call.args && (filled(call.args, known) as Args)
  const helper = helpers[call.helper ?? '']
  if (helper) return await helper(client, args)
  const options = { idempotencyKey: idempotency_key, timeoutMs: timeout_ms }
  const path = (call.path ?? []).map((parameter) => filled(parameter, known))
  const place = call.node.slice(0, -1).reduce((at, step) => at[step] as Known, client as unknown as Known)
  const method = (place[call.node.at(-1) ?? ''] as (...given: unknown[]) => unknown).bind(place)
  return await taken(method(...path, ...(args ? [args] : []), options), call.take)
}

/** What is taken of a list or a stream; any other answer as it is. */
async function taken(answer: unknown, take: Call['take']): Promise<unknown> {
  if (take?.pages !== undefined && answer instanceof Listing) {
    return { pages: (await first(answer.pages(), take.pages)).map(({ data }) => data.length) }
  }
  if (take?.items !== undefined) return { items: await first(answer as AsyncIterable<unknown>, take.items) }
  if (take?.events !== undefined) return { events: await first(answer as AsyncIterable<ServerEvent>, take.events) }
  return await answer
}

async function first<Item>(all: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const some: Item[] = []
  for await (const item of all) if (some.push(item) === most) break
  return some
}

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255)

const helpers: Record<string, (client: Millrace, args: Args) => Promise<unknown>> = {
  async upload_video(client, { bytes, ...facts }) {
    const told: number[] = []
    const onProgress = ({ bytesSent }: { bytesSent: number }) => told.push(bytesSent)
    return { ...(await client.uploadVideo(bytesOf(bytes), { ...facts, onProgress })), sent: told.at(-1) }
  },
  upload_file: (client, { text, ...facts }) => client.uploadFile(new TextEncoder().encode(text), facts),
  guard_token: (client, { action }) => client.guardToken(action),
  solve: async (_, { challenge }) => ({ answer: await guard.solve(challenge) }),
  verify_webhook: (_, { payload, headers, secret, now }) =>
    webhooks.verify(payload, headers, secret, { now: now * 1000 }),
}

function reported(error: unknown): CallError {
  if (!(error instanceof MillraceError)) throw error
  const none = { status: null, code: null, fields: [], retry_after: null, has_request_id: false }
  if (!(error instanceof APIError)) return { type: error.name, ...none }
  return {
    type: error.name === 'ServerError' ? error.name : error.name.replace(/Error$/, ''),
    status: error.status,
    code: error.code,
    fields: error instanceof BadRequestError ? [...error.fields].sort() : [],
    retry_after: error.retryAfter ?? null,
    has_request_id: error.requestId !== undefined,
  }
}
