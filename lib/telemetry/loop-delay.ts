import { monitorEventLoopDelay } from 'node:perf_hooks'
import { watchedGauge } from './metrics.ts'

/** Sampling interval in milliseconds. An idle process uses less than a thousandth of a CPU core for sampling. */
const resolution = 50

export interface LoopDelay {
  p99: number
  max: number
}

export function loopDelayMeter(): { read(): LoopDelay } {
  const looks = monitorEventLoopDelay({ resolution })
  looks.enable()
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
  'Event-loop delay of this process since the last scrape: p99 and max. Slow work in the event loop delays all other work in the process.',
  ['stat'],
)

export function observeLoopDelay(): void {
  const meter = loopDelayMeter()
  gauge.watch(() => Object.entries(meter.read()).map(([stat, value]) => ({ labels: { stat }, value })))
}
