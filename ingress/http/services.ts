import type { Storage } from '#lib/storage/storage.ts'
import type { Check } from './checks.ts'
import { service } from './container.ts'
import { keyChanges } from './key-changes.ts'
import { liveKeys } from './live-keys.ts'
import type { Documents, OperationEntry } from './openapi/document.ts'
import { createQuestions, type Questions } from './questions.ts'
import type { Route } from './route.ts'
import type { Answerer } from './serve.ts'

/** Where the bytes are. */
export const storage = service<Storage>({
  name: 'storage',
  check: (storage, signal) => storage.check(signal),
})

/** Signs tokens; the same in every ingress process. */
export const signingSecret = service<string>({ name: 'signing secret' })

/** Asks a worker and waits for its answer. */
export const questions = service<Questions>({
  name: 'questions',
  open: ({ db }) => createQuestions(db),
  close: (questions) => questions.close(),
})

/** Aborts when the process is asked to end: long polls and event streams finish then. */
export const stopping = service<AbortSignal>({ name: 'stopping', open: () => new AbortController().signal })

/** Aborts when balancers shall send no more: requests are still taken, for a while. */
export const draining = service<AbortSignal>({
  name: 'intake',
  open: () => new AbortController().signal,
  async check(draining) {
    if (draining.aborted) throw new Error('this process is about to end')
  },
})

/** The parts whose state the health routes report, by name. */
export const checks = service<Readonly<Record<string, Check>>>({ name: 'checks' })

/** Every operation that is served and no secret. */
export const catalogue = service<readonly OperationEntry[]>({ name: 'catalogue' })

/** What answers each route of this process, for pages that ask as the API's clients do. */
export const answerersByRoute = service<ReadonlyMap<Route, Answerer>>({ name: 'answerers' })

/** Gives the OpenAPI document of an area, or of all, as JSON. */
export const documents = service<Documents>({ name: 'documents' })

/** What every ingress opens, whatever its areas are. */
export const commonServices = [questions, stopping, draining, keyChanges, liveKeys]
