const minuteMs = 60_000

/** Reports a repeated event: the first time immediately, then once per minute with the number of events since. */
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
