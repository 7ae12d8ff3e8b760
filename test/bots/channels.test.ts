import t from 'tap'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(240_000)
const stack = await channelStack(t)
await stack.startWorkers()
const shop = await stack.connected()

t.test('a message to the number is answered by the bot at the number', async (t) => {
  const ada = stranger()
  t.equal((await shop.hear({ from: ada, body: 'When do you open?' })).status, 200)
  const messages = await shop.settled(ada, 2)
  t.match(messages, [
    { role: 'user', seq: 1, content: 'When do you open?', delivery: null },
    { role: 'assistant', seq: 2, content: 'You said: When do you open?', delivery: { channel: 'whatsapp', status: 'sent' } },
  ])
  t.same(shop.sentTo(ada), ['You said: When do you open?'])
})
