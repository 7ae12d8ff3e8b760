import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Storage } from '#lib/storage/storage.ts'
import type { Operation } from './area.ts'
import type { Check } from './checks.ts'
import { service } from './container.ts'
import { keyChanges } from './key-changes.ts'
import type { Backlog } from './limits/backlog.ts'
import { liveKeys } from './live-keys.ts'
import type { Documents, OperationEntry } from './openapi/document.ts'
import { createQuestions, type Questions } from './questions.ts'
import type { Route } from './route.ts'
import type { OperationHandler } from './serve.ts'

export const storage = service<Storage>({
  name: 'storage',
  check: (storage, signal) => storage.check(signal),
})

/** Secret that signs tokens. All ingress processes use the same secret. */
export const signingSecret = service<string>({ name: 'signing secret' })

export const questions = service<Questions>({
  name: 'questions',
  open: ({ db }) => createQuestions(db),
  close: (questions) => questions.close(),
})

export const stopping = service<AbortSignal>({ name: 'stopping', open: () => new AbortController().signal })

export const draining = service<AbortSignal>({
  name: 'intake',
  open: () => new AbortController().signal,
  async check(draining) {
    if (draining.aborted) throw new Error('this process is shutting down')
  },
})

/** Limits the waiting jobs of organisations. Routes with a caller and `enqueues` use it without their own code. */
export const backlog = service<Backlog>({ name: 'backlog' })

export const checks = service<Readonly<Record<string, Check>>>({ name: 'checks' })

export const catalogue = service<readonly OperationEntry[]>({ name: 'catalogue' })

export const answerersByRoute = service<ReadonlyMap<Route, OperationHandler>>({ name: 'answerers' })

/** The operations that are tools of the MCP server. */
export const toolOperations = service<readonly Operation[]>({ name: 'tools' })

/** Handles a request as if it came from a client of this process. */
export type FrontDoor = (req: IncomingMessage, res: ServerResponse) => void

export const frontDoor = service<FrontDoor>({ name: 'front door' })

export const documents = service<Documents>({ name: 'documents' })

export const commonServices = [questions, stopping, draining, keyChanges, liveKeys]
