import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killWithParent } from '../../ops/start/supervise.ts'
import { freePort, type Scope } from './postgres.ts'
import { until } from './until.ts'

/** nginx in front of ingress processes, as in production. */
export interface Balancer {
  url: string
  /** Changes the target ports. Connections to other ports end with their current requests. */
  sendTo(...ports: number[]): Promise<void>
}

// As root, nginx would write to its folder as another user without access.
const user = process.getuid?.() === 0 ? 'user root;' : ''

/** A sent request is not repeated on a second server unless it is repeatable, so errors are not hidden. */
const settings = (folder: string, port: number, upstreams: readonly number[]) => `
${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${folder}/tmp; proxy_temp_path ${folder}/tmp; fastcgi_temp_path ${folder}/tmp;
  uwsgi_temp_path ${folder}/tmp; scgi_temp_path ${folder}/tmp;
  upstream millrace { ${upstreams.map((one) => `server 127.0.0.1:${one};`).join(' ')} keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    add_header x-served-by $upstream_addr always;
    location / { proxy_pass http://millrace; proxy_http_version 1.1; proxy_set_header connection ""; proxy_next_upstream off; }
  }
}
`

export async function startBalancer(t: Scope, ...ports: number[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-balancer-'))
  const port = await freePort()
  const write = (upstreams: readonly number[]) =>
    writeFile(join(folder, 'nginx.conf'), settings(folder, port, upstreams))
  await mkdir(join(folder, 'tmp'))
  await write(ports)
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
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exit
    await rm(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/healthz`)).ok, { what: 'nginx answers' })
  return {
    url,
    async sendTo(...next) {
      await write(next)
      child.kill('SIGHUP')
      const wanted = next.map((one) => `127.0.0.1:${one}`)
      const served = async () => (await fetch(`${url}/healthz`)).headers.get('x-served-by') ?? ''
      await until(async () => wanted.includes(await served()), { what: 'nginx sends to the new ones' })
    },
  }
}
