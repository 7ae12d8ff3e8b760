import { ConnectionError, MillraceError } from './errors.ts'
import { getRetryDelayMs, pause } from './retries.ts'

/** Thrown if storage rejected an upload to a signed URL. */
export class StorageError extends MillraceError {
  override name = 'StorageError'
  readonly status: number

  constructor(status: number) {
    super(`Storage answered ${status}.`)
    this.status = status
  }
}

export interface Put {
  url: string
  headers?: Record<string, string>
  body: Uint8Array | Blob
}

const attempts = 5

/**
 * Sends bytes to storage. `put` returns a new URL for each attempt, because a signature can expire. Throws if a retry
 * cannot help.
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
    await pause(getRetryDelayMs(attempt, failure), signal)
  }
}

async function sent(
  fetcher: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<StorageError | ConnectionError | undefined> {
  try {
    const answer = await fetcher(url, init)
    // Reads the body completely, because browsers log a cancelled response as a failed request.
    await answer.arrayBuffer().catch(() => undefined)
    return answer.ok ? undefined : new StorageError(answer.status)
  } catch (cause) {
    // A signed URL is a secret, so the message does not contain it.
    return new ConnectionError('Cannot connect to storage.', { cause })
  }
}
