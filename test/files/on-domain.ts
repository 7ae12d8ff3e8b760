import type { Test } from 'tap'
import type { VideoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

type Curl = (host: string, path: string, given?: { more?: string[] }) => Promise<object>

/** Files are delivered on the domain `video.example` of an organisation, in parts and as a whole, but none of others. */
export async function filesOnDomain(t: Test, stack: VideoStack, curl: Curl): Promise<void> {
  const [own, foreign] = await Promise.all([publisher(stack, stack.orgId), publisher(stack)])
  const large = Buffer.alloc(600_000, 'large ')
  const id = await own.store(large, { visibility: 'public' })
  const theirs = await foreign.store('theirs', { visibility: 'public' })
  const get = (path: string, more: string[] = []) => curl('video.example', path, { more })
  t.match(await get(`/f/${id}/note.txt`), { version: '2', code: 200, text: large.toString() })
  t.match(await get(`/f/${id}/note.txt`, ['-r', '6-10']), { version: '2', code: 206, text: 'large' })
  t.match(await get(`/f/${theirs}/note.txt`), { code: 404 })
  await own.show(id, 'signed')
  const { hostname, pathname, search } = new URL(await own.sign(id, { host: 'video.example' }))
  t.equal(hostname, 'video.example')
  t.match(await get(pathname + search), { code: 200 })
}
