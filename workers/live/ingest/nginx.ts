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
  /** It ended, and with it every publisher. */
  onEnd(): void
}

/** The RTMP server of a worker. */
export interface Nginx {
  /** Drops the publisher of a stream, if there is one. */
  drop(stream: string): Promise<void>
  /** Whether anything came of a stream's publisher; true when it cannot be told. */
  hasData(stream: string): Promise<boolean>
  /** Whether anything came of a stream's publisher since this was asked last; true when it cannot be told. */
  arrives(stream: string): Promise<boolean>
  /** The tracks of H.264 and AAC whose headers have come of a stream's publisher; undefined when there is none or it cannot be told. */
  tracks(stream: string): Promise<TrackKind[] | undefined>
  /** A folder of its user. */
  folder: string
  stop(): Promise<void>
}

/** Starts nginx and keeps it running. A port that is taken is tried again and again, as one worker of a host has it. */
export async function startNginx({ program, onEnd, ...facts }: NginxOptions): Promise<Nginx> {
  // Not in the data folder: the path of a socket has 107 bytes at most (unix(7)).
  const folder = await mkdtemp(join(tmpdir(), 'millrace-live-'))
  if (canBeNobody) await chown(folder, nobody, nobody)
  await chmod(folder, 0o700)
  const control = join(folder, 'control')
  const file = join(folder, 'nginx.conf')
  await writeFile(file, nginxConf({ ...facts, folder, control }))
  await chmod(file, 0o644)
  const command = [program, '-p', `${folder}/`, '-c', file, '-e', 'stderr']
  const start = () => {
    // A killed nginx leaves its socket behind, and the next could not bind it.
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

/** Profiles are told out of a track's own header, codecs also where they were only announced. */
function tracksIn(told: string): TrackKind[] {
  const codecs = { video: 'H264', audio: 'AAC' } as const
  const kinds = Object.keys(codecs) as TrackKind[]
  return kinds.filter((kind) => within(told, kind).includes(`<codec>${codecs[kind]}</codec><profile>`))
}

/** What stands in the first element of a name. */
function within(xml: string, name: string): string {
  const begin = xml.indexOf(`<${name}>`)
  return begin < 0 ? '' : xml.slice(begin, xml.indexOf(`</${name}>`, begin))
}

/** Waits until something listens, a few seconds at most. */
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
  log.error({ host, port }, 'nothing listens for RTMP yet, another program may use the port')
}

/** What nginx answers; nothing when it is not there. */
function ask(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const asked = request({ socketPath, path, timeout: 2_000 }, (answer) => {
      answer.setEncoding('utf8').on('data', (more: string) => {
        text += more
      })
      answer.once('close', () => resolve(text))
    })
    // Without nginx there is no publisher either.
    asked.once('error', () => resolve(''))
    asked.once('timeout', () => asked.destroy())
    asked.end()
  })
}
