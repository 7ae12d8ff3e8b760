import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

/** Sends an event twice. It arrives once in a user's inbox and is then marked as read. */
export function notifySteps(api: Api): Step[] {
  return [{ name: 'inbox', run: () => tellOne(api) }]
}

async function tellOne(api: Api): Promise<string> {
  const person = crypto.randomUUID()
  const event = { product_key: 'tour', type: 'tour.began', subject_user_id: person, title: 'Your first notification' }
  const twice = { ...event, dedupe_key: 'tour' }
  const { id } = await ask<{ id: string }>(api, 'POST', '/v1/notify/events', twice)
  await ask(api, 'POST', '/v1/notify/events', twice)
  const inbox = `/v1/notify/inbox?user_id=${person}`
  const { data } = await ask<{ data: { id: string; title: string }[] }>(api, 'GET', inbox)
  if (data.length !== 1 || data[0]?.id !== id) throw new Error(`The inbox has ${data.length} items.`)
  await ask(api, 'POST', `/v1/notify/inbox/${id}/read`, { user_id: person })
  const { unread_count } = await ask<{ unread_count: number }>(api, 'GET', `/v1/notify/unread-count?user_id=${person}`)
  if (unread_count !== 0) throw new Error(`${unread_count} items are unread.`)
  return `an event that was sent twice is listed once and marked as read`
}
