import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

/** Shows a message on the simulated phone. If messages are really sent, the tour sends none. */
export const whatsappSteps = (api: Api, phoneUrl: string | undefined): Step[] =>
  phoneUrl === undefined ? [] : [{ name: 'whatsapp', run: () => sendOne(api, phoneUrl) }]

async function sendOne(api: Api, phoneUrl: string): Promise<string> {
  const { data } = await ask<{ data: { name: string; language: string }[] }>(
    api,
    'GET',
    '/v1/whatsapp/templates?name=hello_world',
  )
  const [template] = data
  if (!template) return await ownNumber(api)
  const sent = await ask<{ to: string }>(api, 'POST', '/v1/whatsapp/send-template', {
    to: '+3725550101',
    template: { name: template.name, language: { code: template.language } },
  })
  return `the template ${template.name} went to ${sent.to}; its phone, from which you can answer, is ${phoneUrl}`
}

/** Templates then belong to a number that the organisation connected, as in the guide. */
async function ownNumber(api: Api): Promise<string> {
  const { data } = await ask<{ data: { display_phone: string | null }[] }>(api, 'GET', '/v1/whatsapp/numbers')
  const [number] = data
  if (!number) throw new Error('The sandbox has no template.')
  return `nothing was sent: the organisation’s own number ${number.display_phone ?? ''} has no template hello_world`
}
