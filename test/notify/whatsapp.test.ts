import '../support/notify-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { flowing, traceOf } from './flows.ts'
import { person } from './people.ts'

const { db, sender, flow, start, run } = await flowing(t)
const one = await sender()

const Message = z.object({ id: z.string(), phone: z.string(), type: z.string(), content: z.unknown() })
const messagesTo = (phone: string) =>
  db.any(sql.type(Message)`select id, phone, type, content from whatsapp.messages where phone = ${phone} order by id`)

/** Somebody with a telephone, who wrote a moment ago or never did. */
async function somebody(phone: string, wrote: boolean): Promise<string> {
  const user = person()
  await one.ask(`PUT /v1/notify/people/${user}`, { body: { phone, name: 'Ann' } })
  if (wrote)
    await db.query(sql.typeAlias('void')`
      insert into whatsapp.contacts (wa_id, last_inbound_at) values (${phone.slice(1)}, now())`)
  return user
}

const step = { type: 'channel', channel: 'whatsapp' }
const template = {
  name: 'order_shipped',
  language: 'en',
  variables: ['{{person.name}}', '{{data.order}}', '{{data.none}}'],
}

t.test('within the window the text goes out, else the template, or nothing with the reason', async (t) => {
  const open = await somebody('+3725550101', true)
  await flow(one, [{ ...step, template }])
  const facts = { body: 'Tomorrow.', url: 'https://shop.example/1', data: { order: '10\n42' } }
  const told = await run(one, await start(one, open, facts))
  const [message] = await messagesTo('+3725550101')
  t.match(message, {
    type: 'text',
    content: { body: 'Your order is on its way\n\nTomorrow.\n\nhttps://shop.example/1' },
  })
  t.match(told.steps, [{ state: 'done', message_id: message?.id }])

  t.same(traceOf(await run(one, await start(one, await somebody('+3725550102', false), facts))), ['whatsapp done'])
  t.match(await messagesTo('+3725550102'), [
    {
      type: 'template',
      content: {
        name: 'order_shipped',
        language: { code: 'en' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ann' },
              { type: 'text', text: '10 42' },
              { type: 'text', text: '–' },
            ],
          },
        ],
      },
    },
  ])

  await flow(one, [step])
  const closed = await run(one, await start(one, await somebody('+3725550103', false), facts))
  t.same(traceOf(closed), ['whatsapp refused outside_window'])
  t.same(await messagesTo('+3725550103'), [])
})

t.test('a person who chose WhatsApp is told by it without a workflow', async (t) => {
  const user = await somebody('+3725550104', true)
  await one.prefer(user, ['whatsapp'], { type: 'plain' })
  const { body } = await one.tell(user, { type: 'plain' })
  t.match(body.channels.at(-1), { channel: 'whatsapp', used: true })
  const copies = await until(async () => {
    const { copies } = (await one.ask(`GET /v1/notify/events/${body.id}`)).body
    return copies[0].status === 'waiting' ? false : copies
  })
  const [message] = await messagesTo('+3725550104')
  t.match(copies, [{ channel: 'whatsapp', status: 'accepted', message_id: message?.id }])
})
