import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { LiveStats } from '../origin/channel.ts'

interface ChannelGauge {
  isLive: boolean
  stats: LiveStats | undefined
}

const channels = watchedGauge('millrace_live_channels', 'Channels with a publisher on this worker.', ['state'])
const viewers = watchedGauge('millrace_live_viewers', 'Viewers of the channels of this worker.', [])
const parts = counter('millrace_live_parts_total', 'Parts that this worker created from published media.', [])
const bytes = counter('millrace_live_received_bytes_total', 'Size of these parts in bytes.', [])

export function countPart(length: number): void {
  parts.inc()
  bytes.inc(length)
}

export function observeOnAir(onAir: () => readonly ChannelGauge[]): () => void {
  const stops = [
    channels.watch(() => {
      const live = onAir().filter(({ isLive }) => isLive).length
      return [
        { labels: { state: 'live' }, value: live },
        { labels: { state: 'connecting' }, value: onAir().length - live },
      ]
    }),
    viewers.watch(() => [{ labels: {}, value: onAir().reduce((sum, { stats }) => sum + (stats?.viewers ?? 0), 0) }]),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
