import { z } from 'zod'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { recentUse } from '../../http/dashboard/recent-use.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { type FormState, textField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { renderFault, tokenField } from '../../http/html/parts.ts'
import { Location } from '../locate.ts'
import { read } from '../lookups.ts'

export const section = {
  title: 'IP location',
  path: '/app/geo',
  group: 'Trust',
  guide: 'geo',
} as const satisfies DashboardSection

type Found = z.output<typeof Location>

const nothing: FormState = { given: {}, faults: {} }

export const { show, submit } = formPage({
  path: '/geo',
  summary: 'Locate an IP address',
  section,
  fields: z.object({ ip: z.string().trim() }),
  view: async (call) => await view(call, call),
  async submit(call) {
    const { ip } = call.given
    const location = await call.ask(read, { params: { ip } }, Location)
    return { view: await view(call, { filled: { ...nothing, given: { ip } }, fault: undefined, location }) }
  },
})

type Call = Parameters<Parameters<typeof formPage>[0]['view']>[0]

async function view(
  { db, ctx, member, services }: Pick<Call, 'db' | 'ctx' | 'member' | 'services'>,
  { filled, fault, location }: { filled: FormState; fault: string | undefined; location?: Found },
) {
  const ip = location?.ip ?? '1.1.1.1'
  const main = html`<h1>IP location</h1>
<p class="lead">Find the country, city and network of an IP address.</p>${renderFault(fault)}
<div class="try"><form class="form" method="post" action="${section.path}">${tokenField(member)}
${textField(filled, { name: 'ip', label: 'IP address', required: true, otherwise: ctx.ip, hint: 'IPv4 or IPv6. For example, 1.1.1.1.' })}
<p class="actions"><button class="primary">Locate</button></p></form>
${location && result(location)}</div>
${apiCall(services, 'geo.lookups.read', { path: { ip } })}
${await recentUse(db, member.orgId, 'geo')}`
  return { title: 'IP location', main }
}

function result(found: Found): Html {
  const place = [found.city, found.region?.name, found.country?.name].filter(Boolean).join(', ')
  const headline = found.bogon ? 'Not on the public internet' : place || 'Location unknown'
  const facts: readonly (readonly [string, Content])[] = [
    ['IP address', html`<code>${found.ip}</code>`],
    ['Country', found.country && `${found.country.name} (${found.country.code})`],
    ['Currency', found.country?.currency],
    ['Calling code', found.country?.calling_code],
    ['Time zone', found.timezone],
    ['Coordinates', found.location && `${found.location.latitude}, ${found.location.longitude}`],
    ['Network', found.network && html`<code>${found.network}</code>`],
    ['Operator', found.asn && `AS${found.asn.number} ${found.asn.organization ?? ''}`],
    ['Tor exit', flagText(found, 'tor')],
    ['Hosting provider', flagText(found, 'hosting')],
    ['VPN provider', flagText(found, 'vpn')],
    ['Reserved for', found.bogon_type?.replaceAll('_', ' ')],
    ['Data', `${found.source.database}, ${formatInstant(new Date(found.source.built_at))} UTC`],
  ]
  return html`<section class="result" role="status" aria-labelledby="place"><h2 id="place" class="outcome">${headline}</h2>
<dl class="facts">${facts.map(([name, value]) => (name !== 'Reserved for' || found.bogon) && html`<div><dt>${name}</dt><dd>${value || quiet('unknown')}</dd></div>`)}</dl>
<p class="quiet">${found.attribution}</p></section>`
}

/** Returns the value with the list that it is from. Undefined if the operator has no list. */
function flagText({ flags, lists }: Found, flag: keyof Found['flags']): string | undefined {
  const list = lists.find((one) => one.flag === flag)
  if (!list) return undefined
  return `${flags[flag] ? 'Yes' : 'No'} (${list.source}, ${formatInstant(new Date(list.updated_at))} UTC)`
}
