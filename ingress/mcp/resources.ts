import type { FrontDoor } from '../http/services.ts'
import { enter, type MessageSender } from './front-door.ts'

/** A guide of the documentation in the form of the protocol. */
export interface GuideResource {
  uri: string
  name: string
  title: string
  mimeType: 'text/markdown'
}

const scheme = 'millrace:'

const path = /^\/docs\/(guides|reference)\/[\w-]+\.md$/

const get = (door: FrontDoor, from: MessageSender, url: string) =>
  enter(door, from, { method: 'GET', url, headers: {} })

/** Returns the guides and the reference of each area. The list is the one in `/llms.txt`. */
export async function listGuides(door: FrontDoor, from: MessageSender): Promise<GuideResource[]> {
  const { text } = await get(door, from, '/llms.txt')
  return Array.from(text.matchAll(/^- \[([^[\]\n]+)\]\((\/docs\/[^()\n]+)\)$/gm), ([, title = '', url = '']) => ({
    uri: `${scheme}/${url}`,
    name: url.slice('/docs/'.length),
    title,
    mimeType: 'text/markdown' as const,
  }))
}

/** Returns the Markdown of a guide. Returns undefined if it does not exist. */
export async function readGuide(door: FrontDoor, from: MessageSender, uri: string) {
  const url = uri.startsWith(`${scheme}//`) ? uri.slice(scheme.length + 1) : ''
  if (!path.test(url)) return undefined
  const { status, text } = await get(door, from, url)
  return status === 200 ? { uri, mimeType: 'text/markdown' as const, text } : undefined
}
