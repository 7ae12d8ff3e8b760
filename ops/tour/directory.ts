import { randomBytes } from 'node:crypto'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

/** Adds the newest video to a channel, publishes it, finds it by search and opens its page. */
export function directorySteps(api: Api, video: Api): Step[] {
  return [{ name: 'directory', run: () => publish(api, video) }]
}

async function publish(api: Api, video: Api): Promise<string> {
  const { data } = await ask<{ data: { id: string }[] }>(video, 'GET', '/v1/stream/assets?status=ready&limit=1')
  const uuid = data[0]?.id
  if (!uuid) throw new Error('No video is ready.')
  const handle = `tour-${randomBytes(4).toString('hex')}`
  const [ofVideo, search] = [`/v1/streaming/videos/${uuid}`, `/v1/streaming/search?q=first+look&channel=${handle}`]
  const found = async () => (await ask<{ data: { item: { uuid: string } }[] }>(api, 'GET', search)).data.length
  await ask(api, 'POST', '/v1/streaming/channels', { handle, name: 'Tour' })
  await ask(api, 'PUT', `/v1/streaming/channels/${handle}/videos/${uuid}`)
  await ask(api, 'PATCH', ofVideo, { title: 'A first look', description: 'Created by the tour.', tags: ['tour'] })
  if ((await found()) !== 0) throw new Error('The search returns a video that is not public.')
  await ask(video, 'PATCH', `/v1/stream/assets/${uuid}`, { visibility: 'public' })
  if ((await found()) !== 1) throw new Error('The search does not return the public video.')
  const { url } = await ask<{ url: string }>(api, 'GET', ofVideo)
  const page = await fetch(url)
  if (!page.ok) throw new Error(`${url} returned ${page.status}.`)
  return `the video was found as soon as it was public; its page is ${url}`
}
