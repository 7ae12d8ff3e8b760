import t from 'tap'
import { hear } from '#tasks/bots/hear.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(120_000)
const stack = await channelStack(t)
const { db } = stack

t.test('a message that no attempt could handle waits for a person, and the next one follows', async (t) => {
  await stack.startWorkers('whatsapp')
  const shop = await stack.connected()
  const ada = stranger()
  await shop.hear({ from: ada, body: 'first', ago: 2 }, { from: ada, body: 'second' })
  const given = { channelId: shop.channel, contact: ada }
  await hear.giveUp?.(given, new Error('its worker died'), { db, runId: undefined })
  t.match((await shop.done('GET /v1/bots/conversations')).data, [
    { contact: ada, reason: 'channel', waits: true, note: /could not be handled/ },
  ])
  await stack.startWorkers('core', 'llm')
  const said = await shop.settled(ada, 2)
  t.match(said, [
    { seq: 1, content: '[unreadable message]', metadata: { received_id: /./ } },
    { seq: 2, content: 'second' },
  ])
  t.same(shop.sentTo(ada), [], 'a person handles both')
  await hear.giveUp?.(given, new Error('its worker died'), { db, runId: undefined })
  t.equal((await shop.said(ada)).length, 2, 'nothing waits')
})
