import { type Form, fieldsOf, sender } from './form.ts'
import { uniqueText } from './samples.ts'

const action = () => ({
  parameters: {
    type: 'object',
    properties: { [uniqueText()]: { type: 'string', description: uniqueText() } },
    required: [],
  },
})
const bot: Form = {
  apart: fieldsOf('template template_version', 'Instead of a prompt.'),
  values() {
    const name = uniqueText()
    return { system_prompt: `Help {{${name}}}.`, variables: { [name]: uniqueText() } }
  },
  read: () => '/v1/bots',
  unshown: { system_prompt: 'Reads show its length.' },
}

export const botForms: Readonly<Record<string, Form>> = {
  'bots.bots.create': bot,
  'bots.bots.update': bot,
  'bots.actions.create': { values: action },
  'bots.actions.update': { values: action },
  'bots.channels.create': {
    apart: fieldsOf('route_id from_email from_name', 'For another type of channel.'),
    values: (made) => ({ kind: 'whatsapp', number_id: made('/v1/whatsapp/numbers') }),
    also: [
      (made) => ({
        kind: 'email',
        route_id: made('/send/v1/inbound-routes'),
        from_email: sender(),
        from_name: uniqueText(),
      }),
    ],
  },
  'bots.channels.update': { values: () => ({ from_email: sender() }) },
  'bots.sources.create': { apart: { object_id: 'Instead of a URL.' } },
  'bots.hours.update': { values: () => ({ intervals: [{ day: 2, from: '09:15', to: '17:45' }] }) },
  'bots.documents.create': { unshown: { text: 'The list does not show long texts.' } },
}
