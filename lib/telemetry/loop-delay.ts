import { monitorEventLoopDelay } from 'node:perf_hooks'
import { watchedGauge } from './metrics.ts'

/** Milliseconds between two looks: a process that has nothing to do takes less than a thousandth of a core for them. */
const resolution = 50

/** How late the event loop was since it was read last, in seconds. */
export interface LoopDelay {
  p99: number
  max: number
}

/** Measures how late this process's event loop is; each meter has an interval of its own, from one reading to the next. */
export function loopDelayMeter(): { read(): LoopDelay } {
  const looks = monitorEventLoopDelay({ resolution })
  looks.enable()
  // What is counted is the time between two looks.
  const lateness = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3)
  return {
    read() {
      const delay = { p99: lateness(looks.percentile(99)), max: lateness(looks.max) }
      looks.reset()
      return delay
    },
  }
}

const gauge = watchedGauge(
  'millrace_event_loop_delay_seconds',
  'How late the event loop of this process was since the last scrape: p99 and max. What holds it up holds up all that is done beside.',
  ['stat'],
)

/** Shows how late the event loop is among this process's metrics. */
export function observeLoopDelay(): void {
  const meter = loopDelayMeter()
  gauge.watch(() => Object.entries(meter.read()).map(([stat, value]) => ({ labels: { stat }, value })))
}
