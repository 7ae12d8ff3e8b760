// Globals of a service worker. TypeScript's own library declares those of a dedicated worker.

declare var clients: Clients
declare var registration: ServiceWorkerRegistration
declare function skipWaiting(): Promise<void>
declare function addEventListener<Name extends keyof ServiceWorkerGlobalScopeEventMap>(
  name: Name,
  listener: (event: ServiceWorkerGlobalScopeEventMap[Name]) => void,
): void
