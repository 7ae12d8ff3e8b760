import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import * as events from '#sql/notify/events.ts'
import * as people from '#sql/notify/people.ts'
import { Channel } from '#sql/notify/preferences.ts'
import * as texts from '#sql/notify/texts.ts'
import type { Facts } from '#tasks/notify/rules/conditions.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { sendTestText } from '#tasks/notify/rules/send-test-text.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { checkBoxes, linesField, optionalField, repeatedField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { create, type EventBody } from '../events.ts'
import { getPersonKey } from '../mark-items.ts'
import { exampleData, parseData } from './example-data.ts'
import { section, textPath } from './section.ts'
import { kindTitles } from './step-icons.ts'
import { textParams } from './text-form.ts'
import { exampleFacts, fillText } from './text-preview.ts'

/** Product of test events, so that they are not in the inboxes of the customer’s products. */
const testProduct = 'test'

export const { show: askToSend, submit: send } = formPage({
  path: '/notify/texts/{type}/{locale}/send',
  summary: 'Send a test of a text',
  section,
  permission: 'areas:write',
  params: textParams,
  fields: z.object({ user_id: optionalField(UserId), channels: repeatedField(Channel), data: z.string().optional() }),
  async view({ db, member, params: { type, locale }, filled, fault }) {
    const { title, body } = await mustFind(texts.find(db, { org_id: member.orgId, type, locale }), 'text')
    const main = html`${parentLink(`${type} ${locale}`, textPath(type, locale))}<h1>Send a test</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'user_id', label: 'Person', hint: html`Optional. Your own ID of a person in the directory. Leave blank to send an email to yourself (${member.email}).` })}
${checkBoxes(filled, { name: 'channels', label: 'Channels', options: Channel.options.map((channel) => [channel, kindTitles[channel]] as const), otherwise: ['email'] })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', few: true, otherwise: exampleData([title, body]), hint: 'Values for placeholders, such as data.order.' })}
<p class="actions"><button>Send</button> <a class="button plain" href="${textPath(type, locale)}">Cancel</a></p></form>`
    return { title: 'Send a test', main }
  },
  async submit({ db, member, ask, given, params: { type, locale } }) {
    const { user_id, channels } = given
    const data = parseData(given.data)
    const text = await mustFind(texts.find(db, { org_id: member.orgId, type, locale }), 'text')
    if (channels.length === 0)
      throw badRequest([{ field: 'form.channels', issue: 'must contain at least one channel' }])
    if (user_id === undefined && channels.some((channel) => channel !== 'email' && channel !== 'in_app'))
      throw badRequest([{ field: 'form.user_id', issue: 'is required, except for the inbox and email' }])
    const person = user_id === undefined ? null : await people.find(db, getPersonKey(member.orgId, user_id))
    if (user_id !== undefined && !person)
      throw badRequest([{ field: 'form.user_id', issue: 'must be a person in the directory' }])
    const example = exampleFacts(type, text, data)
    const facts = person ? { ...example, person: factsOf(person) } : example
    const message = fillText(text, facts)
    const body: EventBody = {
      ...{ product_key: testProduct, type, subject_user_id: user_id ?? member.userId, channels, title: message.title },
      ...(message.body !== null && { body: message.body }),
      ...(Object.keys(data).length > 0 && { data }),
      ...(user_id === undefined && { email: { to: member.email } }),
    }
    const template = channels.includes('email') ? text.template_id : null
    const id =
      template === null ? await sendEvent(ask, body) : await sendWithTemplate(db, member, body, template, facts)
    return { to: `/app/notify/events/${id}`, told: 'Test sent. This page shows its delivery and updates by itself.' }
  },
})

type Call = PageCall<unknown, unknown>

const sendEvent = async (ask: Call['ask'], body: EventBody): Promise<string> =>
  (await ask(create, { body }, z.object({ id: z.string() }))).id

/** Events have no template, so the email is submitted with the event. */
async function sendWithTemplate(
  db: Call['db'],
  { orgId, email: to }: Call['member'],
  { subject_user_id, email, channels, push: _, ...columns }: EventBody,
  template: string,
  facts: Facts,
): Promise<string> {
  const subject = Id.safeParse(subject_user_id).success ? null : subject_user_id
  const event = {
    ...events.fill({ ...columns, org_id: orgId, key_id: null, user_id: getPersonId(subject_user_id), subject }),
    ...{ channels, push: undefined, fromDomains: undefined, appLock: undefined },
    email: email === undefined ? undefined : { to, isContact: false, from: undefined },
  }
  return await db.transaction((tx) => sendTestText(tx, { event, template, facts }))
}

const factsOf = ({ name, email, phone, locale, time_zone, data }: people.Person): Facts['person'] & object =>
  ({
    ...Object.fromEntries(
      Object.entries({ name, email, phone, locale, time_zone }).map(([key, value]) => [key, value ?? '']),
    ),
    data,
  }) as Facts['person'] & object
