import { type Method, readMethods } from '../../../sdk/generate/methods.ts'
import { service } from '../container.ts'
import { documents } from '../services.ts'

/** The operations of this process as methods of the client libraries. They are read when they are first used. */
export interface ApiMethods {
  find(id: string): Method | undefined
  /** Schemas of the OpenAPI document, by name. */
  components(): Readonly<Record<string, unknown>>
}

export const apiMethods = service<ApiMethods>({
  name: 'api methods',
  open({ services }) {
    let known: { methods: ReadonlyMap<string, Method>; components: Readonly<Record<string, unknown>> } | undefined
    const read = () => {
      if (known) return known
      const document = JSON.parse(services(documents).textOf())
      const methods = new Map(readMethods(document).map((method) => [method.id, method]))
      known = { methods, components: document.components.schemas }
      return known
    }
    return { find: (id) => read().methods.get(id), components: () => read().components }
  },
})
