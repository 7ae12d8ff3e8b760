import type { RequestResult } from './breaker.ts'

/** Default maximum bytes of a response. A completion of 2,048 tokens has about 10 KB. */
const usualBytes = 4 * 1024 * 1024
/** Maximum bytes of one event. The SDK scans the whole event again with each chunk. */
const maxEvent = 1024 * 1024
/** Maximum `Retry-After` that is passed to the SDK, which sleeps without listening to signals. */
const longestRetryAfterSeconds = 5

/**
 * Creates a fetch with limits: `silenceMs` until the headers and between two parts of the body (the SDK's time-out ends
 * with the headers), and `maxBytes`. Redirects are not followed, so texts and the key go to no other server. `enter` is
 * called before each request and receives its result, unless this process cancelled it.
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
      silent.abort(new Error('The upstream timed out.'))
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
        // The server responds, so other requests need not wait until a long answer ends.
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
