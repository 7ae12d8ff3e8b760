const minuteMs = 60_000

/** Tells of what may happen again and again: the first time at once, then once a minute, with how often it was since. */
export function onceAMinute<T>(tell: (latest: T, times: number) => void): (latest: T) => void {
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
