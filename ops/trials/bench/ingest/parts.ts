import { cpuSum, measureTreeCpu, subtractCpu } from '../cpu.ts'

/** Time of the requests of one part in seconds, per lane, and the CPU time of all processes. */
export interface PartTimes {
  seconds: number
  cpuSeconds: number
}

export interface Ingest {
  what: string
  rows: number
  parts: number
  /** Rows per request. */
  batch: number
  lanes: number
  /** Sends the rows from `from` up to, but not including, `to`. Returns the time of the request in milliseconds. */
  send(from: number, to: number): Promise<number>
}

/** Sends all rows over several lanes, and measures each part. */
export async function measureParts({ what, rows, parts, batch, lanes, send }: Ingest): Promise<PartTimes[]> {
  const measured: PartTimes[] = []
  for (let part = 0; part < parts; part++) {
    const end = Math.floor((rows * (part + 1)) / parts)
    let next = Math.floor((rows * part) / parts)
    let ms = 0
    const lane = async () => {
      while (next < end) {
        const from = next
        next = Math.min(end, from + batch)
        const took = await send(from, next)
        ms += took
      }
    }
    const cpu = await measureTreeCpu(process.pid)
    await Promise.all(Array.from({ length: lanes }, lane))
    const seconds = ms / 1_000 / lanes
    const cpuSeconds = cpuSum(subtractCpu(cpu, await measureTreeCpu(process.pid)))
    measured.push({ seconds, cpuSeconds })
    const perSecond = Math.round(rows / parts / seconds).toLocaleString('en')
    console.log(
      `  ${end.toLocaleString('en')} ${what}: ${perSecond}/s, ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s`,
    )
  }
  return measured
}
