import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cells } from '#lib/cells.ts'
import { buildHaproxyMaps } from '../../cli/haproxy-maps.ts'
import { killWithParent, type Part } from '../../start/supervise.ts'
import type { Actor } from '../chaos/actor.ts'

const shipped = fileURLToPath(new URL('../../deploy/haproxy/cells.cfg', import.meta.url))

/** The shipped HAProxy configuration in front of cells, in a separate folder and on a separate port. */
export interface FrontProxy {
  url: string
  part: Part
  write(cells: Cells): Promise<void>
}

/** Fills only addresses and folders into the shipped file. */
export async function startFrontProxy(folder: string, host: string, port: number, cells: Cells): Promise<FrontProxy> {
  await mkdir(folder, { recursive: true })
  const write = async (next: Cells) => {
    const files = Object.entries(buildHaproxyMaps(next))
    await Promise.all(files.map(([name, text]) => writeFile(join(folder, name), text)))
  }
  const text = (await readFile(shipped, 'utf8'))
    .replace('bind :8080', `bind ${host}:${port}`)
    .replaceAll('/etc/haproxy/cells/', `${folder}/`)
    .replaceAll('/run/haproxy/', `${folder}/`)
  await writeFile(join(folder, 'cells.cfg'), text)
  await write(cells)
  const files = ['cells.cfg', 'backends.cfg'].flatMap((name) => ['-f', join(folder, name)])
  const url = `http://${host}:${port}`
  return {
    url,
    write,
    part: {
      name: 'haproxy',
      command: () => killWithParent('/usr/sbin/haproxy', '-W', ...files),
      ready: { check: async () => (await fetch(`${url}/healthz`)).ok },
      stopSignal: 'SIGTERM',
      grace: 3_000,
      quiet: true,
    },
  }
}

/** Reloads a running HAProxy. Existing connections keep the old configuration. */
export function reload({ pid }: Actor): void {
  if (pid !== undefined) process.kill(pid, 'SIGUSR2')
}

/** Returns the reason why HAProxy cannot run here, or `undefined` if it can. */
export async function whyNoHaproxy(): Promise<string | undefined> {
  const child = spawn('/usr/sbin/haproxy', ['-v'], { stdio: 'ignore' })
  const found = await Promise.race([once(child, 'exit').then(() => true), once(child, 'error').then(() => false)])
  return found ? undefined : 'HAProxy is not installed'
}
