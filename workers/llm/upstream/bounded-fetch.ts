/** Bytes of an answer: a completion of 2,048 tokens has some 10 KB. */
const maxBytes = 4 * 1024 * 1024
/** The SDK sleeps for as long as a server asks it to, deaf to signals; for longer than this a client does not wait. */
const longestRetryAfterSeconds = 5

/**
 * Makes a fetch whose answers come within bounds: `silenceMs` until the headers and between two pieces of the body (the
 * SDK's own time-out ends with the headers), and 4 MiB. Redirects are answers: texts and the key go to nobody else.
 */
export function boundedFetch(silenceMs: number): typeof fetch {
  return async (input, init) => {
    const silent = new AbortController()
    const timer = setTimeout(() => silent.abort(new Error('The upstream timed out.')), silenceMs).unref()
    const signal = init?.signal ? AbortSignal.any([silent.signal, init.signal]) : silent.signal
    const response = await fetch(input, { ...init, redirect: 'manual', signal }).catch((error) => {
      clearTimeout(timer)
      throw error
    })
    const { status, statusText } = response
    const headers = new Headers(response.headers)
    if (Number(headers.get('retry-after') ?? 0) > longestRetryAfterSeconds) headers.set('x-should-retry', 'false')
    if (!response.body) {
      clearTimeout(timer)
      return new Response(null, { status, statusText, headers })
    }
    let size = 0
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh()
        size += chunk.byteLength
        if (size > maxBytes) controller.error(new Error('The upstream’s answer is too large.'))
        else controller.enqueue(chunk)
      },
      flush: () => clearTimeout(timer),
    })
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers })
  }
}
