import { spawn } from 'node:child_process'
import { setting } from '../transport.ts'

/** Opens a page in the browser of this computer. Returns false if there is no browser. */
export async function openBrowser(url: string): Promise<boolean> {
  if (!/^https?:\/\/[^\s]+$/.test(url)) return false
  const [program, ...args] = commandOf(url)
  if (program === undefined) return false
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
    child.unref()
  })
}

function commandOf(url: string): string[] {
  const own = setting('BROWSER')
  // Some systems put a command line into this variable. It is not used, because a URL cannot be quoted safely.
  if (own && /^[\w./-]+$/.test(own)) return [own, url]
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return setting('DISPLAY') || setting('WAYLAND_DISPLAY') ? ['xdg-open', url] : []
}
