import { areas } from '../../ingress/areas.ts'
import { openapi } from '../../ingress/http/openapi/document.ts'
import { type Method, methodsOf } from './methods.ts'

/** A generated file: path from the root of the repository, and text. */
export interface Generated {
  path: string
  text: string
}

/** Input for the generation of the clients. */
export interface Contract {
  methods: Method[]
  /** Named schemas, such as `push.Message`. */
  // biome-ignore lint/suspicious/noExplicitAny: a JSON schema is of any shape.
  schemas: Record<string, any>
  /** Webhook event types with the names of their schemas. */
  events: { type: string; schema: string }[]
}

/** Returns the complete API without starting a server. */
export function contract(): Contract {
  const document = openapi(areas)
  const { schemas } = document.components as Pick<Contract, 'schemas'>
  return { methods: methodsOf(document), schemas, events: eventsOf(document) }
}

interface Told {
  post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } }
}

const eventsOf = ({ webhooks }: Record<string, unknown>): Contract['events'] =>
  Object.entries(webhooks as Record<string, Told>).map(([type, { post }]) => ({
    type,
    schema: post.requestBody.content['application/json'].schema.$ref.split('/').at(-1) as string,
  }))
