import type { Storage } from '#lib/storage/storage.ts'
import type { Check } from './checks.ts'
import { service } from './container.ts'
import { keyChanges } from './key-changes.ts'
import { liveKeys } from './live-keys.ts'
import type { Documents, OperationEntry } from './openapi/document.ts'
import { createQuestions, type Questions } from './questions.ts'
import type { Route } from './route.ts'
import type { Answerer } from './serve.ts'

/** Client of the object storage. */
export const storage = service<Storage>({
  name: 'storage',
  check: (storage, signal) => storage.check(signal),
})

/** Secret that signs tokens. The same in every ingress process. */
export const signingSecret = service<string>({ name: 'signing secret' })

/** Sends questions to workers and waits for the answers. */
export const questions = service<Questions>({
  name: 'questions',
  open: ({ db }) => createQuestions(db),
  close: (questions) => questions.close(),
})

/** Aborts when the process shuts down. Then long polls and event streams end. */
export const stopping = service<AbortSignal>({ name: 'stopping', open: () => new AbortController().signal })

/** Aborts when load balancers must stop sending requests. Requests are still accepted for a while. */
export const draining = service<AbortSignal>({
  name: 'intake',
  open: () => new AbortController().signal,
  async check(draining) {
    if (draining.aborted) throw new Error('this process is about to shut down')
  },
})

/** Checks of the services in the health routes, by name. */
export const checks = service<Readonly<Record<string, Check>>>({ name: 'checks' })

/** Every operation of this process. Contains no secrets. */
export const catalogue = service<readonly OperationEntry[]>({ name: 'catalogue' })

/** Handlers of all routes of this process, for pages that call operations like API clients. */
export const answerersByRoute = service<ReadonlyMap<Route, Answerer>>({ name: 'answerers' })

/** OpenAPI documents of an area or of all areas, as JSON. */
export const documents = service<Documents>({ name: 'documents' })

/** Services of every ingress, regardless of its areas. */
export const commonServices = [questions, stopping, draining, keyChanges, liveKeys]
