import type { ServerResponse } from 'node:http'
import { Problem } from '#lib/errors.ts'

/** The status of requests whose client did not wait for the answer, in logs and metrics alone; nginx has the same. */
export const goneStatus = 499

const signals = new WeakMap<ServerResponse, AbortSignal>()

/** Aborts when the connection of an answer that is not written yet has ended. */
export function signalOf(res: ServerResponse): AbortSignal {
  const known = signals.get(res)
  if (known) return known
  const gone = new AbortController()
  const abort = () => {
    if (!res.writableFinished) gone.abort(new Problem(goneStatus, 'client_gone', 'The client is gone.'))
  }
  if (res.destroyed) abort()
  else res.once('close', abort)
  signals.set(res, gone.signal)
  return gone.signal
}
