import { rmSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { canBeNobody, nobody, SupervisedProgram, startProgram } from '../../sandbox/supervised-program.ts'
import type { TrackKind } from '../origin/tracks.ts'
import { nginxConf } from './nginx-conf.ts'

export interface NginxOptions {
  program: string
  module: string
  host: string
  port: number
  hooks: string
  onEnd(): void
}

export interface Nginx {
  drop(stream: string): Promise<void>
  /** True if data of the publisher has arrived, or if this is unknown. */
  hasData(stream: string): Promise<boolean>
  /** True if data of the publisher has arrived since the last call, or if this is unknown. */
  arrives(stream: string): Promise<boolean>
  /**
   * Returns the H.264 and AAC tracks whose headers have arrived. Returns undefined if there is no publisher, or if this
   * is unknown.
   */
  tracks(stream: string): Promise<TrackKind[] | undefined>
  /** Folder that nginx's user can write to. */
  folder: string
  stop(): Promise<void>
}

/**
 * Starts nginx and restarts it when it stops. Retries if the port is in use, because only one worker per host can have
 * the port.
 */
export async function startNginx({ program, onEnd, ...facts }: NginxOptions): Promise<Nginx> {
  // The data folder is not used, because the path of a Unix socket can have up to 107 bytes (unix(7)).
  const folder = await mkdtemp(join(tmpdir(), 'millrace-live-'))
  if (canBeNobody) await chown(folder, nobody, nobody)
  await chmod(folder, 0o700)
  const control = join(folder, 'control')
  const file = join(folder, 'nginx.conf')
  await writeFile(file, nginxConf({ ...facts, folder, control }))
  await chmod(file, 0o644)
  const command = [program, '-p', `${folder}/`, '-c', file, '-e', 'stderr']
  const start = () => {
    // If nginx was killed, its socket file still exists, and the next nginx could not bind to it.
    rmSync(control, { force: true })
    return startProgram(command, (line) => log.warn({ program: 'nginx', line }, 'nginx output'))
  }
  const tellOf = async (stream: string) => {
    const [, after] = (await ask(control, '/stat')).split(`<name>${stream}</name>`)
    return after?.slice(0, after.indexOf('</stream>'))
  }
  const received = new Map<string, string>()
  const supervised = new SupervisedProgram('nginx', start, onEnd)
  await listens(facts.host, facts.port)
  return {
    folder,
    async drop(stream) {
      await ask(control, `/control/drop/publisher?app=live&name=${encodeURIComponent(stream)}`)
    },
    async hasData(stream) {
      return (await tellOf(stream))?.includes('<active/>') ?? true
    },
    async arrives(stream) {
      const [, bytes] = /<bytes_in>(\d+)/.exec((await tellOf(stream)) ?? '') ?? []
      const isMore = bytes === undefined || bytes !== received.get(stream)
      if (bytes === undefined) received.delete(stream)
      else received.set(stream, bytes)
      return isMore
    },
    async tracks(stream) {
      const told = await tellOf(stream)
      return told?.includes('<publishing/>') ? tracksIn(told) : undefined
    },
    async stop() {
      await supervised.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** nginx reads profiles from the header of a track. It can also report codecs that were only announced. */
function tracksIn(told: string): TrackKind[] {
  const codecs = { video: 'H264', audio: 'AAC' } as const
  const kinds = Object.keys(codecs) as TrackKind[]
  return kinds.filter((kind) => within(told, kind).includes(`<codec>${codecs[kind]}</codec><profile>`))
}

function within(xml: string, name: string): string {
  const begin = xml.indexOf(`<${name}>`)
  return begin < 0 ? '' : xml.slice(begin, xml.indexOf(`</${name}>`, begin))
}

async function listens(host: string, port: number): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (open) return
    await pause(100)
  }
  log.error({ host, port }, 'nothing is listening for RTMP; another program may be using the port')
}

/** Returns the response of nginx, or an empty string if nginx is not running. */
function ask(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const asked = request({ socketPath, path, timeout: 2_000 }, (answer) => {
      answer.setEncoding('utf8').on('data', (more: string) => {
        text += more
      })
      answer.once('close', () => resolve(text))
    })
    asked.once('error', () => resolve(''))
    asked.once('timeout', () => asked.destroy())
    asked.end()
  })
}
