import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { ownNumber } from './own-number.ts'
import { whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
await stack.startWorkers()
const own = await ownNumber(stack, ['whatsapp:send', 'whatsapp:manage', 'files:read'])
const to = '+3725550909'

const number = { phone_number_id: '1', business_account_id: '2', access_token: 'a', app_secret: 'b' }
const numbers: [object, ...string[]][] = [
  [{}, 'access_token', 'app_secret', 'business_account_id', 'phone_number_id'],
  [{ ...number, phone_number_id: 'x' }, 'phone_number_id'],
  [{ ...number, phone_number_id: 1 }, 'phone_number_id'],
  [{ ...number, business_account_id: '../2' }, 'business_account_id'],
  [{ ...number, access_token: '' }, 'access_token'],
  [{ ...number, access_token: 'a\r\nb: c' }, 'access_token'],
  [{ ...number, access_token: 'x'.repeat(2_001) }, 'access_token'],
  [{ ...number, app_secret: 'ä' }, 'app_secret'],
  [{ ...number, verify_token: 'short' }, 'verify_token'],
  [{ ...number, verify_token: 'a b c d e f g h i j' }, 'verify_token'],
  [{ ...number, verify: 'x' }, 'verify'],
]

const template = (components: unknown, more: object = {}) => ({
  name: 'a',
  language: 'en',
  category: 'UTILITY',
  components,
  ...more,
})
const body = { type: 'BODY', text: 'Hello' }
const buttons = (...all: object[]) => [body, { type: 'BUTTONS', buttons: all }]
const templates: [object, ...string[]][] = [
  [template([]), 'components'],
  [template([body], { name: 'Order Ready' }), 'name'],
  [template([body], { language: 'english' }), 'language'],
  [template([body], { category: 'OTHER' }), 'category'],
  [template([body], { parameter_format: 'BOTH' }), 'parameter_format'],
  [template([{ type: 'TEXT', text: 'a' }]), 'components.0.type'],
  [template([{ type: 'FOOTER', text: 'a' }]), 'components'],
  [template([body, body]), 'components.1'],
  [template([{ type: 'BODY', text: 'x'.repeat(1_025) }]), 'components.0.text'],
  [template([{ type: 'BODY', text: '{{1}} is ready', example: { body_text: [['a']] } }]), 'components.0.text'],
  [template([{ type: 'BODY', text: 'Order {{1}} is ready' }]), 'components.0.example.body_text'],
  [template([{ type: 'BODY', text: 'Order {{2}} is ready', example: { body_text: [['a']] } }]), 'components.0.text'],
  [
    template([{ type: 'BODY', text: 'Hi {{name}}!' }], { parameter_format: 'NAMED' }),
    'components.0.example.body_text_named_params',
  ],
  [template([body, { type: 'FOOTER', text: 'x {{1}} y' }]), 'components.1.text'],
  [template([body, { type: 'FOOTER', text: 'x'.repeat(61) }]), 'components.1.text'],
  [
    template([body, { type: 'HEADER', format: 'TEXT', text: '{{1}} {{2}}' }]),
    'components.1.example.header_text',
    'components.1.text',
  ],
  [template([body, { type: 'HEADER', format: 'IMAGE' }]), 'components.1.example'],
  [template([body, { type: 'HEADER', format: 'GIF' }]), 'components.1.format'],
  [template(buttons()), 'components.1.buttons'],
  [template(buttons({ type: 'QUICK_REPLY', text: 'x'.repeat(26) })), 'components.1.buttons.0.text'],
  [template(buttons({ type: 'URL', text: 'a', url: 'ftp://a' })), 'components.1.buttons.0.url'],
  [template(buttons({ type: 'URL', text: 'a', url: 'https://a.example/{{1}}' })), 'components.1.buttons.0.example'],
  [
    template(buttons({ type: 'PHONE_NUMBER', text: 'a', phone_number: 'call me' })),
    'components.1.buttons.0.phone_number',
  ],
  [template(buttons({ type: 'OTP', otp_type: 'COPY_CODE' })), 'components.1.buttons.0.type'],
  [
    template(buttons({ type: 'COPY_CODE', example: 'a' }, { type: 'COPY_CODE', example: 'b' })),
    'components.1.buttons.1',
  ],
  [template([body], { category: 'AUTHENTICATION' }), 'components', 'components.0.text'],
]

const interactive = (more: object) => ({ to, interactive: { body: { text: 'a' }, ...more } })
const reply = (id: string, title = id) => ({ type: 'reply', reply: { id, title } })
const row = (id: string) => ({ id, title: 'a' })
const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => row(`${from + i}`))
const list = (...sections: object[]) => interactive({ type: 'list', action: { button: 'Pick', sections } })
const at = 'interactive'
const messages: [object, ...string[]][] = [
  [interactive({ type: 'quiz', action: {} }), `${at}.type`],
  [interactive({ type: 'button', action: { buttons: [] } }), `${at}.action.buttons`],
  [
    interactive({ type: 'button', action: { buttons: ['1', '2', '3', '4'].map((id) => reply(id)) } }),
    `${at}.action.buttons`,
  ],
  [
    interactive({ type: 'button', action: { buttons: [reply('1', 'x'.repeat(21))] } }),
    `${at}.action.buttons.0.reply.title`,
  ],
  [interactive({ type: 'button', action: { buttons: [reply('1', 'a'), reply('1', 'b')] } }), `${at}.action.buttons`],
  [interactive({ type: 'button', action: { buttons: [reply('1', 'a'), reply('2', 'a')] } }), `${at}.action.buttons`],
  [list({ rows: rows(0, 6), title: 'a' }, { rows: rows(6, 5), title: 'b' }), `${at}.action.sections`],
  [list({ rows: rows(0, 2) }, { rows: rows(2, 2), title: 'b' }), `${at}.action.sections.0.title`],
  [list({ rows: [row('a'), row('a')] }), `${at}.action.sections`],
  [list({ rows: [] }), `${at}.action.sections.0.rows`],
  [list({ rows: [{ ...row('a'), description: 'x'.repeat(73) }] }), `${at}.action.sections.0.rows.0.description`],
  [
    interactive({
      type: 'cta_url',
      action: { name: 'cta_url', parameters: { display_text: 'a', url: 'javascript:a' } },
    }),
    `${at}.action.parameters.url`,
  ],
  [
    { to, interactive: { ...list({ rows: rows(0, 1) }).interactive, header: { type: 'image', image: { id: '1' } } } },
    `${at}.header.image`,
    `${at}.header.text`,
    `${at}.header.type`,
  ],
  [{ to, image: {} }, 'image'],
  [{ to, image: { object_id: 'x' } }, 'image.object_id'],
  [{ to, image: { object_id: newId(), id: '1' } }, 'image'],
  [{ to, image: { object_id: newId() } }, 'image.object_id'],
  [{ to, sticker: { id: '1', caption: 'a' } }, 'sticker.caption'],
]

const table = [
  ...numbers.map(([given, ...fields]) => ['POST /v1/whatsapp/numbers', given, fields] as const),
  ...templates.map(([given, ...fields]) => ['POST /v1/whatsapp/templates', given, fields] as const),
  ...messages.map(([given, ...fields]) => ['POST /v1/whatsapp/send', given, fields] as const),
]

t.test('every bad input is refused with the field that is at fault', async (t) => {
  t.ok(table.length >= 50)
  for (const [request, given, fields] of table) {
    const answer = await own.ask(request, { body: given })
    const about = `${request} ${JSON.stringify(given).slice(0, 200)}: ${answer.text.slice(0, 300)}`
    t.equal(answer.status, 400, about)
    if (answer.status !== 400) continue
    t.same(
      fieldsOf(answer),
      fields.map((field) => `body.${field}`),
      about,
    )
  }
})

t.test('nothing to change, no such number, and no body are told, too', async (t) => {
  const rotate = `POST /v1/whatsapp/numbers/${own.id}/rotate`
  t.equal((await own.ask(rotate, { body: {} })).status, 400)
  t.equal((await own.ask(`POST /v1/whatsapp/numbers/${newId()}/rotate`, { body: { app_secret: 'a' } })).status, 404)
  t.equal((await own.ask('GET /v1/whatsapp/numbers/x')).status, 404)
  t.equal((await own.ask(`DELETE /v1/whatsapp/numbers/${newId()}`)).status, 404)
  t.equal((await own.ask('GET /v1/whatsapp/templates/..%2F1')).status >= 400, true)
  t.equal((await own.ask('DELETE /v1/whatsapp/templates/1')).status, 404)
  for (const raw of ['', '{', '[]', 'null', '"a"'])
    t.equal(
      (await own.ask('POST /v1/whatsapp/numbers', { raw, headers: { 'content-type': 'application/json' } })).status,
      400,
    )
})
