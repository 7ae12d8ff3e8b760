import type { Ending } from './breaker.ts'

/** Bytes of an answer, unless said: a completion of 2,048 tokens has some 10 KB. */
const usualBytes = 4 * 1024 * 1024
/** Bytes of one event of an answer: the SDK looks through all of it anew with each chunk that it comes in. */
const maxEvent = 1024 * 1024
/** The SDK sleeps for as long as a server asks it to, deaf to signals; for longer than this a client does not wait. */
const longestRetryAfterSeconds = 5

/**
 * Makes a fetch whose answers come within bounds: `silenceMs` until the headers and between two pieces of the body (the
 * SDK's own time-out ends with the headers), and `maxBytes`. Redirects are answers: texts and the key go to nobody else. `enter` is
 * asked before each request, and told how it ended; nothing, when it was given up here.
 */
export function boundedFetch(
  silenceMs: number,
  enter: () => (ending?: Ending, status?: number) => void,
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
    const over = (ending?: Ending) => {
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
    // The SDK throws the bodies of such answers away.
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
        // It answers: others need not wait until a long answer has ended.
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

/** Bytes of the event that a chunk leaves unfinished, given those before it. */
function unfinished(chunk: Uint8Array, before: number): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const end = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'))
  return end < 0 ? before + chunk.byteLength : chunk.byteLength - end
}
