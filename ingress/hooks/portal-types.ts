import type { z } from 'zod'
import { route } from '../http/route.ts'
import * as eventTypes from './event-types.ts'
import { askAs, findHolder, ofPortal } from './portal/delegate.ts'

const Query = (eventTypes.list.query as z.ZodObject).pick({ limit: true, cursor: true })

const Page = eventTypes.list.reply as z.ZodType<{ data: { feature_group: string | null }[] }>

export const list = route({
  ...ofPortal,
  method: 'GET',
  path: '/portal/event-types',
  summary: 'List event types with a portal token',
  query: Query,
  status: 200,
  reply: Page,
  problems: ['unauthorized'],
  async handle({ query, ...call }) {
    const holder = await findHolder(call)
    const given = { query: { ...query, archived: false } }
    const page = Page.parse(await askAs(holder, call, eventTypes.list, given))
    const { groups } = holder.subject
    const isShown = (group: string | null) => group === null || groups === null || groups.includes(group)
    return { ...page, data: page.data.filter(({ feature_group: group }) => isShown(group)) }
  },
})
