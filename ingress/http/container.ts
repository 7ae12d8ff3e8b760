import type { DatabasePool } from '#sql/db.ts'

interface Declaration<T> {
  readonly name: string
  open?(ground: ServiceContext): T
  check?(opened: T, signal: AbortSignal): Promise<unknown>
  close?(opened: T): Promise<void>
}

export interface Service<T> extends Declaration<T> {
  /** Distinguishes declarations from functions, because functions also have a name. */
  readonly kind: 'service'
}

export type Services = <T>(service: Service<T>) => T

export interface ServiceContext {
  db: DatabasePool
  services: Services
}

export interface ServiceOverride {
  service: Service<unknown>
  value: unknown
}

/** Declares a service: `services(it)` returns the result of `open`. */
export function service<T>(declaration: Declaration<T>): Service<T> {
  return { ...declaration, kind: 'service' }
}

export const provide = <T>(service: Service<T>, value: NoInfer<T>): ServiceOverride => ({ service, value })

export interface ServiceContainer {
  services: Services
  checks(): Record<string, (signal: AbortSignal) => Promise<unknown>>
  close(): Promise<void>
}

export function openServices(
  db: DatabasePool,
  declared: readonly Service<unknown>[],
  provided: readonly ServiceOverride[],
): ServiceContainer {
  const values = new Map(provided.map(({ service, value }) => [service, value]))
  const opened: Service<unknown>[] = []

  const services: Services = <T>(service: Service<T>) => {
    if (!values.has(service)) {
      if (!service.open) throw new Error(`The service ${service.name} was not provided to this ingress.`)
      if (!declared.includes(service)) throw new Error(`The service ${service.name} is not listed by any area.`)
      values.set(service, service.open({ db, services }))
      opened.push(service)
    }
    return values.get(service) as T
  }
  for (const service of declared) if (service.open) services(service)

  return {
    services,
    checks() {
      const checked = [...values].filter(([service]) => service.check)
      return Object.fromEntries(
        checked.map(([service, value]) => [
          service.name,
          (signal: AbortSignal) => Promise.resolve(service.check?.(value, signal)),
        ]),
      )
    },
    async close() {
      for (const service of opened.reverse()) await service.close?.(values.get(service))
    },
  }
}
