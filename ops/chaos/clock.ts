const Real = Date
let offset = 0

/**
 * Sets this process's wall clock `ms` milliseconds off the machine's, as a clock that is set by hand or by NTP jumps: `Date`
 * tells another time from now on, while timers and `performance.now()`, which are monotonic, do not notice.
 */
export function shiftClock(ms: number): void {
  offset = ms
  globalThis.Date = shifted
}

const now = () => Real.now() + offset

// A proxy has the real one's prototype, so that dates made before and after are both instances of `Date`.
const shifted = new Proxy(Real, {
  construct: (target, given: unknown[]) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
  apply: () => new Real(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
