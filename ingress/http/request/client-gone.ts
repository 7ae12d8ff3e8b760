import type { ServerResponse } from 'node:http'
import { Problem } from '#lib/errors.ts'

/** Status in logs and metrics for requests whose client disconnected. nginx uses the same number. */
export const goneStatus = 499

const signals = new WeakMap<ServerResponse, AbortSignal>()

export function getClientSignal(res: ServerResponse): AbortSignal {
  const known = signals.get(res)
  if (known) return known
  const gone = new AbortController()
  const abort = () => {
    if (!res.writableFinished) gone.abort(new Problem(goneStatus, 'client_gone', 'The client disconnected.'))
  }
  if (res.destroyed) abort()
  else res.once('close', abort)
  signals.set(res, gone.signal)
  return gone.signal
}
