import { areas } from '../../ingress/areas.ts'
import { openapi } from '../../ingress/http/openapi/document.ts'
import { type Method, methodsOf } from './methods.ts'

/** A generated file: its path from the repository's root, and its text. */
export interface Generated {
  path: string
  text: string
}

/** What the clients are made from. */
export interface Contract {
  methods: Method[]
  /** The named schemas: `push.Message`. */
  // biome-ignore lint/suspicious/noExplicitAny: a JSON schema is of any shape.
  schemas: Record<string, any>
  /** What webhooks bring: each type, and the name of its schema. */
  events: { type: string; schema: string }[]
}

/** The whole API, without a server. */
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
