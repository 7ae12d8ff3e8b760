const minuteMs = 60_000

/**
 * Returns a function that reports a repeated event. The first event is reported immediately, then the number of new
 * events once per minute.
 */
export function limitToOncePerMinute<T>(tell: (latest: T, times: number) => void): (latest: T) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let times = 0
  return (latest) => {
    times++
    if (performance.now() - toldAt < minuteMs) return
    tell(latest, times)
    toldAt = performance.now()
    times = 0
  }
}
