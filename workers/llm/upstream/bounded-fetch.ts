import type { RequestResult } from './breaker.ts'

/** Default maximum size of a response in bytes. A completion of 2,048 tokens has about 10 KB. */
const usualBytes = 4 * 1024 * 1024
/** Maximum size of one event in bytes. The SDK scans the whole event again with each chunk. */
const maxEvent = 1024 * 1024
/** Maximum `Retry-After` in seconds that is passed to the SDK. The SDK sleeps without listening to signals. */
const longestRetryAfterSeconds = 5

/** The server sent nothing for the permitted time. */
export class SilentServerError extends Error {
  override name = 'SilentServerError'
}

/**
 * Creates a fetch function with limits. `silenceMs` limits the time until the headers and between parts of the body,
 * because the SDK's timeout ends with the headers. `maxBytes` limits the size. Redirects are not followed, so that
 * texts and the key go to no other server. `enter` is called before each request and receives its result, unless this
 * process cancelled the request.
 */
export function boundedFetch(
  silenceMs: number,
  enter: () => (ending?: RequestResult, status?: number) => void,
  maxBytes: number = usualBytes,
): typeof fetch {
  return async (input, init) => {
    const end = enter()
    const silent = new AbortController()
    const timer = setTimeout(() => {
      end('failed')
      silent.abort(new SilentServerError('The upstream timed out.'))
    }, silenceMs).unref()
    const left = init?.signal
    const over = (ending?: RequestResult) => {
      clearTimeout(timer)
      left?.removeEventListener('abort', leave)
      end(ending)
    }
    const leave = () => over()
    left?.addEventListener('abort', leave)
    const signal = left ? AbortSignal.any([silent.signal, left]) : silent.signal
    const response = await fetch(input, { ...init, redirect: 'manual', signal }).catch((error) => {
      over(left?.aborted ? undefined : 'unreachable')
      throw error
    })
    const { status, statusText } = response
    const headers = new Headers(response.headers)
    if (Number(headers.get('retry-after') ?? 0) > longestRetryAfterSeconds) headers.set('x-should-retry', 'false')
    const ending = status >= 500 ? 'failed' : 'worked'
    // The SDK discards the bodies of these responses.
    if (status >= 300) end(ending, status)
    if (!response.body) {
      over(ending)
      return new Response(null, { status, statusText, headers })
    }
    const inEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false
    let size = 0
    let event = 0
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh()
        // The server is responding, so other requests do not have to wait until a long answer ends.
        end(ending)
        size += chunk.byteLength
        event = inEvents ? unfinished(chunk, event) : 0
        if (size <= maxBytes && event <= maxEvent) return controller.enqueue(chunk)
        over('worked')
        controller.error(new Error('The upstream response is too large.'))
      },
      flush: () => over(ending),
    })
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers })
  }
}

function unfinished(chunk: Uint8Array, before: number): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const end = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'))
  return end < 0 ? before + chunk.byteLength : chunk.byteLength - end
}
