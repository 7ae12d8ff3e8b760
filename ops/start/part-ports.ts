import { parsePortRange } from '#lib/config/values.ts'
import { config, isSet } from '#lib/config.ts'
import type { LastFacts } from './dev-facts.ts'
import { preferPort, preferUdpPorts } from './ports.ts'

export async function livePort(last: LastFacts): Promise<{ live_rtmp: number }> {
  if (isSet('LIVE_RTMP_PORT')) return { live_rtmp: config.LIVE_RTMP_PORT }
  return { live_rtmp: await preferPort(config.HOST, last.ports?.live_rtmp ?? config.LIVE_RTMP_PORT) }
}

/** Returns the UDP ports for SRT encoders: the configured number of ports. If they are in use, returns other ports. */
export async function srtPorts(last: LastFacts): Promise<{ range: string; ports: Record<string, number> }> {
  if (isSet('LIVE_SRT_PORTS')) return { range: config.LIVE_SRT_PORTS, ports: {} }
  const [usual, end] = parsePortRange(config.LIVE_SRT_PORTS)
  const count = end - usual + 1
  const live_srt = await preferUdpPorts(config.HOST, last.ports?.live_srt ?? usual, count)
  return { range: `${live_srt}-${live_srt + count - 1}`, ports: { live_srt } }
}

export async function roomsPort(last: LastFacts): Promise<{ rooms: number }> {
  if (isSet('ROOMS_PORT')) return { rooms: config.ROOMS_PORT }
  return { rooms: await preferPort(config.ROOMS_HOST ?? config.HOST, last.ports?.rooms) }
}

export async function metricsPorts({
  ports,
}: LastFacts): Promise<{ ingress_metrics: number; workers_metrics: number }> {
  const ingress_metrics = await preferPort(config.HOST, ports?.ingress_metrics)
  const workers_metrics = await preferPort(config.HOST, ports?.workers_metrics)
  return { ingress_metrics, workers_metrics }
}
