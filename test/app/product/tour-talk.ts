import type { Test } from 'tap'
import { Millrace } from '../../../sdk/node/src/index.ts'

/** Riders wait for a tour and talk about it: the rental's server schedules it, and moderates the chat. */
export async function talkBeforeTour(t: Test, client: Millrace, base: string, channelId: string): Promise<void> {
  const { live } = client
  const startsAt = new Date(Date.now() + 600_000).toISOString()
  const { scheduledId } = await live.schedule.create(channelId, { title: 'Tour of the coast', startsAt })
  const open = new Millrace({ baseUrl: base })
  const [next] = (await open.live.upcoming.list(channelId)).data
  t.match(next, { scheduledId, title: 'Tour of the coast', startsAt })
  t.match(await (await fetch(next?.calendarUrl ?? '')).text(), 'SUMMARY:Tour of the coast')

  await live.chat.update(channelId, { opens: 'broadcast', earlyMinutes: 30 })
  const ann = await live.chatTokens.create(channelId, { userId: 'rider-1', name: 'Ann' })
  const gus = await live.chatTokens.create(channelId, { userId: 'guide-1', name: 'Gus', role: 'moderator' })
  await open.live.chatViewer.write(ann.token, { text: 'Is it windy?' })
  await live.chatMessages.create(channelId, { name: 'Rides', text: 'Bring a jacket.' })
  const said = (await live.chatMessages.list(channelId)).data.map(({ name, text }) => `${name}: ${text}`)
  t.same(said, ['Rides: Bring a jacket.', 'Ann: Is it windy?'])
  await open.live.chatViewer.banPerson(gus.token, ann.personId, { reason: 'Advertising' })
  await t.rejects(open.live.chatViewer.write(ann.token, { text: 'Buy my bike' }), { code: 'chat_banned' })
  await live.chatBans.remove(channelId, ann.personId)
  await t.rejects(live.clips.create(channelId, { lastSeconds: 60 }), { code: 'channel_idle' })
  t.match(await live.schedule.remove(channelId, scheduledId), { deleted: true })
}
