import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import type { Scope } from './postgres.ts'

const Value = z.object({ stringValue: z.string().optional(), intValue: z.coerce.number().optional() })
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue])))

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }),
  attributes: Attributes,
})

/** A span in OTLP/HTTP JSON. */
export type Span = z.infer<typeof Span>

const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
})

export interface Collector {
  url: string
  /** Received spans in order of arrival. */
  spans: Span[]
  /** Resource attributes of the senders. */
  resources: Record<string, string | number | undefined>[]
  headers: NodeJS.Dict<string | string[]>
}

export async function startCollector(t: Scope): Promise<Collector> {
  const collector: Collector = { url: '', spans: [], resources: [], headers: {} }
  const server = createServer(async (req, res) => {
    const sent = Export.safeParse(await json(req))
    if (req.url !== '/v1/traces' || !sent.success) return res.writeHead(400).end()
    if (collector.resources.length === 0) collector.headers = req.headers
    for (const { resource, scopeSpans } of sent.data.resourceSpans) {
      collector.resources.push(resource.attributes)
      collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans))
    }
    res.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return collector
}

/** Sets variables for all processes that the test starts from now on. */
export function environmentOf(t: Scope, variables: Record<string, string>): void {
  Object.assign(process.env, variables)
  t.teardown(async () => {
    for (const name of Object.keys(variables)) delete process.env[name]
  })
}
