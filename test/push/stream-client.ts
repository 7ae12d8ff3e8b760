import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** An event as a client reads it. */
export interface ServerEvent {
  id: string | undefined
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  data: any
}

/** A client of an event stream that keeps what it gets. */
export interface StreamClient {
  status: number
  response: IncomingMessage
  events: ServerEvent[]
  comments: number
  retry: number | undefined
  /** Resolves when the server, or the test, has ended it. */
  ended: Promise<unknown>
  /** Waits until it has so many events; returns them. */
  gets(count: number): Promise<ServerEvent[]>
  close(): void
}

/** Opens an event stream, read by the rules of the HTML standard §9.2.6; it ends with the test. */
export async function openStream(t: Scope, url: string, headers: Record<string, string> = {}): Promise<StreamClient> {
  const request = get(url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const client: StreamClient = {
    status: response.statusCode ?? 0,
    response,
    events: [],
    comments: 0,
    retry: undefined,
    ended: once(response, 'close'),
    async gets(count) {
      await until(() => client.events.length >= count, { what: `${count} events come`, every: 5 })
      return client.events
    },
    close: () => void response.destroy(),
  }
  response.on('error', () => {})
  response.setEncoding('utf8')
  let rest = ''
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(client, block)
  })
  t.teardown(async () => client.close())
  return client
}

function take(client: StreamClient, block: string): void {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
    }),
  )
  if (fields.has('')) client.comments++
  if (fields.has('retry')) client.retry = Number(fields.get('retry'))
  const data = fields.get('data')
  if (data === undefined) return
  client.events.push({ id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) })
}
