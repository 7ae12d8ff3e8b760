import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { type Benchmark, median } from './benchmark.ts'
import { startChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

const headers = { 'accept-encoding': 'gzip, deflate, br' }

/** Maximum time in milliseconds for a request for the document. */
const most = 2

export const openapi: Benchmark = {
  summary: 'time of a request for the OpenAPI document of all areas',
  options: { requests: { about: 'sequential requests', default: 500 } },
  async run({ requests = 500 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const server = startChild('./openapi/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const first = await ask(port)
    const before = await measureTreeCpu(server.process.pid ?? 0)
    const times: number[] = []
    while (times.length < requests) times.push((await ask(port)).ms)
    const cpu = (cpuSum(subtractCpu(before, await measureTreeCpu(server.process.pid ?? 0))) * 1000) / requests
    return {
      comparisons: [
        { what: 'CPU of the OpenAPI document', unit: 'ms', limit: most, product: cpu, demand: { productAtMost: most } },
      ],
      notes: [
        `${first.body.length} bytes, p50 ${median(times).toFixed(1)} ms; the first request, which builds the document, took ${first.ms.toFixed(0)} ms`,
      ],
      rounds: times,
    }
  },
}

async function ask(port: number): Promise<{ ms: number; body: Buffer }> {
  const begun = performance.now()
  const [answered] = await once(get({ port, host: '127.0.0.1', path: '/v1/bench/openapi.json', headers }), 'response')
  const body = Buffer.concat(await answered.toArray())
  return { ms: performance.now() - begun, body }
}
