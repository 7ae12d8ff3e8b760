import { areas } from '../../ingress/areas.ts'
import { createOpenapi } from '../../ingress/http/openapi/document.ts'
import { type Method, readMethods } from './methods.ts'

export interface Generated {
  path: string
  text: string
}

export interface Contract {
  methods: Method[]
  // biome-ignore lint/suspicious/noExplicitAny: a JSON schema is of any shape.
  schemas: Record<string, any>
  events: { type: string; schema: string }[]
}

export function readContract(): Contract {
  const document = createOpenapi(areas)
  const { schemas } = document.components as Pick<Contract, 'schemas'>
  return { methods: readMethods(document), schemas, events: eventsOf(document) }
}

interface Told {
  post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } }
}

const eventsOf = ({ webhooks }: Record<string, unknown>): Contract['events'] =>
  Object.entries(webhooks as Record<string, Told>).map(([type, { post }]) => ({
    type,
    schema: post.requestBody.content['application/json'].schema.$ref.split('/').at(-1) as string,
  }))
