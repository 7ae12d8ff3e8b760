import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { close, fstat, open } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { usualPath } from '../sandbox/programs.ts'

const lockName = 'lock'

/**
 * Creates a folder that stays locked until its release or the end of this process. A process ID cannot identify the
 * owner: containers reuse process IDs, and containers on one volume cannot see each other's processes.
 */
export async function startFolder(parent: string): Promise<{ folder: string; release(): Promise<void> }> {
  for (;;) {
    const folder = join(parent, randomUUID())
    await mkdir(folder, { recursive: true })
    const path = join(folder, lockName)
    const fd = await promisify(open)(path, 'wx')
    // In the meantime, another worker may have cleaned up. It may hold the lock or have deleted the folder.
    if ((await lock(fd)) && (await isStill(path, fd))) return { folder, release: () => promisify(close)(fd) }
    await promisify(close)(fd)
  }
}

/** True if the folder's process has ended. Returns `undefined` if the folder has no lock file. */
export async function isAbandoned(folder: string): Promise<boolean | undefined> {
  const fd = await promisify(open)(join(folder, lockName), 'r+').catch(() => undefined)
  if (fd === undefined) return undefined
  try {
    return await lock(fd)
  } finally {
    await promisify(close)(fd)
  }
}

/**
 * Locks an open file for as long as it is open in this process. Returns false if another process holds the lock.
 * flock(2) locks the open file, not the process. A child process can therefore lock the file for its parent and exit.
 */
async function lock(fd: number): Promise<boolean> {
  const child = spawn('flock', ['-n', '3'], { env: { PATH: usualPath }, stdio: ['ignore', 'ignore', 'pipe', fd] })
  const said: Buffer[] = []
  child.stderr?.on('data', (bytes) => said.push(bytes))
  const [code, signal] = await once(child, 'close')
  if (code === 0 || code === 1) return code === 0
  throw new Error(`flock exited with ${code ?? signal}: ${Buffer.concat(said).toString().trim()}`)
}

async function isStill(path: string, fd: number): Promise<boolean> {
  const held = await promisify(fstat)(fd)
  return await stat(path).then(
    ({ ino }) => ino === held.ino,
    () => false,
  )
}
