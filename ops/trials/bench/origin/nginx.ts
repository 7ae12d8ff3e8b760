import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { preferPort } from '../../../start/ports.ts'
import { killWithParent } from '../../../start/supervise.ts'

// As root, nginx would read the files as a user without access.
const user = process.getuid?.() === 0 ? 'user root;' : ''

const settings = (folder: string, port: number) => `
${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes auto;
events { worker_connections 1024; }
http {
  types { application/vnd.apple.mpegurl m3u8; video/mp4 m4s; }
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
  client_body_temp_path ${folder}/tmp; proxy_temp_path ${folder}/tmp; fastcgi_temp_path ${folder}/tmp;
  uwsgi_temp_path ${folder}/tmp; scgi_temp_path ${folder}/tmp;
  server { listen 127.0.0.1:${port}; root ${folder}/files; }
}
`

export async function startNginx(
  parent: string,
  files: Readonly<Record<string, Uint8Array>>,
  ends: AsyncDisposableStack,
): Promise<{ port: number; pid: number; version: string }> {
  const output = await promisify(execFile)('/usr/sbin/nginx', ['-v']).catch(() => {
    throw new Error('nginx is not installed. The benchmark compares the origin with it: apt-get install nginx-light')
  })
  const folder = join(parent, 'nginx')
  await mkdir(join(folder, 'files'), { recursive: true })
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, 'files', name), bytes)
  const port = await preferPort('127.0.0.1', undefined)
  await writeFile(join(folder, 'nginx.conf'), settings(folder, port))
  const { file, args } = killWithParent(
    '/usr/sbin/nginx',
    '-p',
    folder,
    '-e',
    join(folder, 'error.log'),
    '-c',
    'nginx.conf',
  )
  const child = spawn(file, args, { stdio: 'ignore' })
  const exit = once(child, 'exit')
  ends.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exit
  })
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`nginx exited during startup. See ${folder}/error.log.`)
    await pause(50)
  }
  return { port, pid: child.pid ?? 0, version: output.stderr.trim().replace(/^nginx version: /, '') }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return await once(socket, 'connect').then(
    () => !!socket.destroy(),
    () => false,
  )
}
