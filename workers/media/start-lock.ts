import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { close, fstat, open } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { usualPath } from '../sandbox/programs.ts'

/** The file in a process's folder that is locked while the process lives. */
const lockName = 'lock'

/**
 * Makes a folder that is locked until it is released or this process ends, however it ends. A process id would
 * not do: containers repeat them, and those on one volume don't see each other's.
 */
export async function startFolder(parent: string): Promise<{ folder: string; release(): Promise<void> }> {
  for (;;) {
    const folder = join(parent, randomUUID())
    await mkdir(folder, { recursive: true })
    const path = join(folder, lockName)
    const fd = await promisify(open)(path, 'wx')
    // Another worker's clearing may run in between: then it has the lock, or the folder is gone.
    if ((await lock(fd)) && (await isStill(path, fd))) return { folder, release: () => promisify(close)(fd) }
    await promisify(close)(fd)
  }
}

/** Whether the process whose folder this is has ended; undefined when the folder has no lock file. */
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
 * Locks an open file for as long as it is open here; false when it is locked elsewhere. flock(2) locks what is open and not
 * who opened it, so that a child that is lent the file can lock it for its parent and end.
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
