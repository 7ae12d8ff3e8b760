import { area } from '../http/area.ts'

/** Messages by WhatsApp. */
export const whatsapp = area({
  name: 'whatsapp',
  title: 'WhatsApp',
  description: 'Messages from the platform’s business number.',
  base: '/v1/whatsapp',
  platform: true,
  routes: {},
})
