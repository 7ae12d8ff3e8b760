import { chmod, chown, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { converse } from './conversation.ts'

/** Has clamd read a file where it lies by its command SCAN (clamd(8)), and returns what it answers. Throws as `converse` does. */
export async function scanOwn(client: Socket, path: string, signal: AbortSignal): Promise<string> {
  return await converse(client, signal, async () => void client.write(`zSCAN ${path}\0`))
}

/**
 * Lets the group of clamd's socket read a file, when clamd is another user's. Only root and members of that group can give it
 * away; others let their own group, which clamd's user may be in.
 */
export async function lend(path: string, socket: string): Promise<void> {
  const owner = await stat(socket).catch(() => null)
  if (owner === null || owner.uid === process.getuid?.()) return
  const asItIs = -1
  await chown(path, asItIs, owner.gid).catch(() => {})
  await chmod(path, 0o640).catch(() => {})
}
