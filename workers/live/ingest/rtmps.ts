import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { canBeNobody, nobody, SupervisedProgram, startProgram } from '../../sandbox/supervised-program.ts'

export interface RtmpsOptions {
  program: string
  module: string
  host: string
  port: number
  rtmpPort: number
  certificate: string
  key: string
}

/** Interval in milliseconds between checks of the certificate files. A renewal sends no notification. */
const lookMs = 30_000

type Facts = Pick<RtmpsOptions, 'module' | 'host' | 'port' | 'rtmpPort'> & { folder: string }

const rtmpsConf = ({ module, folder, host, port, rtmpPort }: Facts): string => `
load_module ${module};
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
stream {
  server {
    listen ${host.includes(':') ? `[${host}]` : host}:${port} ssl;
    ssl_certificate ${folder}/certificate.pem;
    ssl_certificate_key ${folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_tickets off;
    ssl_handshake_timeout 10s;
    proxy_connect_timeout 2s;
    proxy_timeout 30s;
    proxy_pass 127.0.0.1:${rtmpPort};
  }
}
`

/** Starts a separate nginx for RTMPS, so that a new certificate does not disconnect RTMP publishers. */
export async function startRtmps(options: RtmpsOptions): Promise<{ close(): Promise<void> }> {
  const read = () => Promise.all([readFile(options.certificate), readFile(options.key)])
  let pair = await read()
  const folder = await mkdtemp(join(tmpdir(), 'millrace-rtmps-'))
  if (canBeNobody) await chown(folder, nobody, nobody)
  await chmod(folder, 0o700)
  // nginx runs without root permissions and cannot read the original files.
  const write = async (name: string, text: string | Buffer) => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    if (canBeNobody) await chown(path, nobody, nobody)
    return path
  }
  const put = async ([certificate, key]: [Buffer, Buffer]) => {
    await write('certificate.pem', certificate)
    await write('key.pem', key)
  }
  await put(pair)
  const file = await write('nginx.conf', rtmpsConf({ ...options, folder }))
  const command = [options.program, '-p', `${folder}/`, '-c', file, '-e', 'stderr']
  const start = () => startProgram(command, (line) => log.warn({ program: 'nginx for RTMPS', line }, 'nginx output'))
  const supervised = new SupervisedProgram('nginx for RTMPS', start, () => {})
  const follow = async () => {
    const now = await read()
    if (now.every((text, i) => pair[i]?.equals(text))) return
    pair = now
    await put(pair)
    log.info('RTMPS is using a new certificate; its publishers reconnect')
    supervised.restart()
  }
  const looks = runEvery(lookMs, follow, (error) =>
    log.error({ err: error }, 'the RTMPS certificate could not be read'),
  )
  return {
    async close() {
      await looks.stop()
      await supervised.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
