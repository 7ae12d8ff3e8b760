/** A customer's server. It accepts each request, and counts the requests with the time of their arrival. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendResult } from '../child.ts'

export interface Arrivals {
  count: number
  /** Times since 1970 in milliseconds, of the first and the last request. */
  first: number
  last: number
  /** Time of arrival by the path of the request or the ID of the job. */
  times: Record<string, number>
}

const now = () => performance.timeOrigin + performance.now()

let arrivals: Arrivals = { count: 0, first: 0, last: 0, times: {} }

const server = createServer((req, res) => {
  if (req.method === 'GET') {
    const text = JSON.stringify(arrivals)
    if (req.url === '/reset') arrivals = { count: 0, first: 0, last: 0, times: {} }
    res.end(text)
    return
  }
  const at = now()
  if (arrivals.count++ === 0) arrivals.first = at
  arrivals.last = at
  if (req.url !== '/drain') arrivals.times[String(req.headers['webhook-id'] ?? req.headers['x-job'])] = at
  req.resume()
  res.writeHead(204).end()
})
server.keepAliveTimeout = 30_000
server.listen(0, '127.0.0.1', () => sendResult((server.address() as AddressInfo).port))
