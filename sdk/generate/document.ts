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
}

/** The whole API, without a server. */
export function contract(): Contract {
  const document = openapi(areas)
  const { schemas } = document.components as Pick<Contract, 'schemas'>
  return { methods: methodsOf(document), schemas }
}
