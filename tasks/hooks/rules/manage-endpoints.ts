import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import type { App } from '#sql/hooks/apps.ts'
import * as rows from '#sql/hooks/endpoints.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { demandUrl } from '../../webhooks/rules/endpoint-url.ts'
import { createSecret, sealSecret } from '../../webhooks/rules/secrets.ts'
import { enqueueEndpoints } from '../../webhooks/rules/wake-endpoints.ts'

/** Maximum number of endpoints of one app. */
export const maxEndpoints = 50

/** Reason of an endpoint that its owner disabled. */
const byOwner = 'The endpoint was disabled on request.'

/** Settings of an endpoint as they are given. Undefined settings keep their value. */
export interface EndpointSettings {
  url?: string | undefined
  types?: string[] | undefined
  description?: string | null | undefined
  filters?: endpoints.Filter[] | undefined
  channels?: string[] | null | undefined
  /** Replaces all additional headers. */
  headers?: Readonly<Record<string, string>> | undefined
  rate_limit?: number | null | undefined
  rate_per?: 'second' | 'minute' | null | undefined
  disabled?: boolean | undefined
}

type Owner = Pick<App, 'id' | 'org_id'>

function toColumns(id: string, given: EndpointSettings, signing: string): Partial<rows.Settings> {
  const { types: events, filters, headers, disabled: _, ...rest } = given
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Partial<rows.Settings>),
    ...(events && { events }),
    ...(filters && { filters: filters.length > 0 ? filters : null }),
    ...(headers && sealHeaders(id, headers, signing)),
  }
}

function sealHeaders(id: string, headers: Readonly<Record<string, string>>, signing: string) {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  if (names.length === 0) return { headers: null, header_names: null }
  const text = JSON.stringify(
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )
  const seal = createSeal(signing, endpoints.sealPurpose)
  return { headers: seal.close(text, endpoints.getHeadersContext(id)), header_names: names }
}

/** Adds an endpoint to a locked app. Returns null if the app already has the maximum number of endpoints. */
export async function add(
  tx: Db,
  app: Owner,
  {
    secret = createSecret(),
    ...given
  }: EndpointSettings & { url: string; types: string[]; secret?: string | undefined },
  signing: string,
): Promise<{ endpoint: endpoints.Endpoint; secret: string } | null> {
  await demandUrl(tx, app.org_id, given.url)
  const id = newId()
  const disabled = given.disabled ?? false
  const row = {
    ...{ description: null, filters: null, channels: null, headers: null, header_names: null },
    ...{ rate_limit: null, rate_per: null, url: given.url, events: given.types },
    ...toColumns(id, given, signing),
    ...{ id, org_id: app.org_id, app_id: app.id, secret: sealSecret(secret, id, signing) },
    ...{ status: disabled ? ('disabled' as const) : ('enabled' as const) },
    ...{ disabled_reason: disabled ? byOwner : null, disabled_at: disabled ? new Date() : null },
  }
  const endpoint = await rows.insert(tx, row, maxEndpoints)
  return endpoint && { endpoint, secret }
}

/** Updates an endpoint. Pending deliveries use the new settings. Returns null if the endpoint does not exist. */
export async function change(
  tx: Db,
  app: Owner,
  id: string,
  given: EndpointSettings,
  signing: string,
): Promise<endpoints.Endpoint | null> {
  const owner = { orgId: app.org_id, appId: app.id }
  const before = await endpoints.lock(tx, owner, id)
  if (!before) return null
  if (given.url !== undefined && given.url !== before.url) await demandUrl(tx, app.org_id, given.url)
  const columns = toColumns(id, given, signing)
  let after = Object.keys(columns).length > 0 ? await rows.update(tx, id, columns) : before
  if (given.disabled === true) after = (await rows.disable(tx, id, byOwner)) ?? after
  if (given.disabled === false && after.status === 'disabled') {
    after = (await endpoints.enable(tx, owner, id)) ?? after
    await enqueueEndpoints(tx, [after])
  } else if ('rate_limit' in columns) await enqueueEndpoints(tx, [after])
  return after
}
