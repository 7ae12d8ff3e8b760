/** Fetches one URL after another over kept connections, optionally with redirects. Reports how many and how fast. */
import { connect, type Socket } from 'node:net'
import { sendResult } from '../child.ts'
import { Tally } from '../tally.ts'

export interface LoadSettings {
  urls: string[]
  status: number
  follow: boolean
  connections: number
  /** Duration in seconds. The first half second is not counted. */
  seconds: number
}

interface Answer {
  status: number
  location: string | undefined
}

class Line {
  readonly #socket: Socket
  readonly #host: string
  #answered: PromiseWithResolvers<Answer> | undefined
  #head = ''
  #answer: Answer = { status: 0, location: undefined }
  #left = -1

  constructor(host: string) {
    const [name = '', port = '80'] = host.split(':')
    this.#host = host
    this.#socket = connect({ host: name, port: Number(port), noDelay: true })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#answered?.reject(error))
  }

  async get(path: string): Promise<Answer> {
    this.#answered = Promise.withResolvers<Answer>()
    this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n\r\n`)
    return await this.#answered.promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    let body = chunk.length
    if (this.#left < 0) {
      const text = this.#head + chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) {
        this.#head = text
        return
      }
      const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text) ?? []
      const [, location] = /\r\nlocation: (\S+)/i.exec(text.slice(0, end)) ?? []
      this.#answer = { status: Number(text.slice(9, 12)), location }
      this.#left = Number(length)
      body = text.length - end - 4
      this.#head = ''
    }
    this.#left -= body
    if (this.#left > 0) return
    this.#left = -1
    this.#answered?.resolve(this.#answer)
  }
}

const { urls, status, follow, connections, seconds } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const addresses = urls.map((url) => new URL(url))
const tally = new Tally()
let next = 0

async function lane(): Promise<void> {
  const lines = new Map<string, Line>()
  const get = async ({ host, pathname, search }: URL) => {
    const line = lines.get(host) ?? new Line(host)
    lines.set(host, line)
    return await line.get(pathname + search)
  }
  while (!tally.over) {
    const begun = performance.now()
    const address = addresses[next++ % addresses.length] as URL
    let last = await get(address)
    if (follow && last.location) last = await get(new URL(last.location))
    if (last.status === status) tally.took(performance.now() - begun)
    else tally.refused(() => `${last.status} of ${address.pathname}`)
  }
  for (const line of lines.values()) line.close()
}

const lanes = Array.from({ length: connections }, lane)
sendResult(await tally.count(seconds))
await Promise.all(lanes)
