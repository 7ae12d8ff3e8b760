import { badRequest } from '#lib/errors.ts'
import type { Kind } from '#sql/account/streams/streams.ts'
import type { Db } from '#sql/db.ts'
import { hasLocalOrg, isLocalOrg } from '../../../webhooks/rules/endpoint-url.ts'
import { findStreamUrlFault, findSyslogFault } from './target-address.ts'

const fields = { s3: 'endpoint', otlp: 'url', splunk: 'url', syslog: 'host' } as const

/** Throws 400 if the organisation cannot use the address of a server. */
export async function demandAddress(
  db: Db,
  orgId: string,
  { kind, settings }: { kind: Kind; settings: Readonly<Record<string, unknown>> },
): Promise<void> {
  const isLocal = hasLocalOrg && (await isLocalOrg(db, orgId))
  const field = fields[kind]
  const address = String(settings[field])
  const issue =
    kind === 'syslog' ? findSyslogFault(address, Number(settings.port), isLocal) : findStreamUrlFault(address, isLocal)
  if (issue !== undefined) throw badRequest([{ field: `body.${kind}.${field}`, issue }])
}
