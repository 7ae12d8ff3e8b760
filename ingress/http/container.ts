import type { DatabasePool } from '#sql/db.ts'

/** What is declared of a service. */
interface Declaration<T> {
  /** `<area>.<name>`, or a plain name for what every area needs. */
  readonly name: string
  /** Opens it when the process starts; a service without is provided by whoever makes the app. */
  open?(ground: Ground): T
  /** Whether it answers: resolves when it does, rejects with why not. The health routes report it by the service's name. */
  check?(opened: T, signal: AbortSignal): Promise<unknown>
  close?(opened: T): Promise<void>
}

/** Something that an ingress process has one of and its routes ask for by this declaration. */
export interface Service<T> extends Declaration<T> {
  /** Keeps functions, which have a name, too, from passing for declarations. */
  readonly kind: 'service'
}

/** Gives a process's service by its declaration. */
export type Services = <T>(service: Service<T>) => T

/** What a service is opened with. */
export interface Ground {
  db: DatabasePool
  services: Services
}

/** A service that is there already, in place of what its declaration would open. */
export interface ServiceOverride {
  service: Service<unknown>
  value: unknown
}

/** Declares a service: `services(it)` gives a route what `open` has returned. */
export function service<T>(declaration: Declaration<T>): Service<T> {
  return { ...declaration, kind: 'service' }
}

/** Has `services(service)` give a value that whoever provides it also closes. */
export const provide = <T>(service: Service<T>, value: NoInfer<T>): ServiceOverride => ({ service, value })

/** The services of one process. */
export interface ServiceContainer {
  services: Services
  /** The checks of all services that have one, by name. */
  checks(): Record<string, (signal: AbortSignal) => Promise<unknown>>
  /** Closes what was opened here, the last first. */
  close(): Promise<void>
}

/** Opens the declared services that are not provided, each before those that ask for it. */
export function openServices(
  db: DatabasePool,
  declared: readonly Service<unknown>[],
  provided: readonly ServiceOverride[],
): ServiceContainer {
  const values = new Map(provided.map(({ service, value }) => [service, value]))
  const opened: Service<unknown>[] = []

  const services: Services = <T>(service: Service<T>) => {
    if (!values.has(service)) {
      if (!service.open) throw new Error(`This ingress was given no ${service.name}.`)
      if (!declared.includes(service)) throw new Error(`No area lists the service ${service.name}.`)
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
