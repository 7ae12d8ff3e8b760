import { ConnectionError, MillraceError } from './errors.ts'
import { pause, waitMs } from './retries.ts'

/** Storage does not take what is sent to a signed URL. */
export class StorageError extends MillraceError {
  override name = 'StorageError'
  readonly status: number

  constructor(status: number) {
    super(`Storage answered ${status}.`)
    this.status = status
  }
}

/** One PUT to a signed URL. */
export interface Put {
  url: string
  headers?: Record<string, string>
  body: Uint8Array | Blob
}

const attempts = 5

/**
 * Sends bytes to storage. `put` gives the URL anew for each attempt, as a signature may be over by then; what is no use to try
 * again is thrown.
 */
export async function putToStorage(
  put: () => Promise<Put>,
  fetcher: typeof fetch,
  signal?: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { url, headers = {}, body } = await put()
    const failure = await sent(fetcher, url, {
      method: 'PUT',
      headers,
      body: body as RequestInit['body'] & {},
      ...(signal ? { signal } : {}),
    })
    if (failure === undefined) return
    signal?.throwIfAborted()
    const passes = failure instanceof ConnectionError || failure.status === 403 || failure.status >= 500
    if (attempt === attempts || !passes) throw failure
    await pause(waitMs(attempt, failure), signal)
  }
}

async function sent(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<StorageError | ConnectionError | undefined> {
  try {
    const answer = await fetcher(url, init)
    // Read to its end, as browsers log a cancelled answer as a failed request; once it has begun its status is known.
    await answer.arrayBuffer().catch(() => undefined)
    return answer.ok ? undefined : new StorageError(answer.status)
  } catch (cause) {
    // A signed URL is a secret, so the message goes without it.
    return new ConnectionError('Cannot connect to storage.', { cause })
  }
}
