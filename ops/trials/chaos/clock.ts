const Real = Date
let offset = 0

/**
 * Shifts the wall clock of this process by `ms` milliseconds, like a clock set by hand or by NTP. `Date` changes.
 * Timers and `performance.now()` are monotonic and do not.
 */
export function shiftClock(ms: number): void {
  offset = ms
  globalThis.Date = shifted
}

const now = () => Real.now() + offset

// A proxy has the original prototype, so dates created before and after are instances of `Date`.
const shifted = new Proxy(Real, {
  construct: (target, given: unknown[]) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
  apply: () => new Real(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
