import { companyType } from './entity-type.ts'
import { mostQueries } from './queries.ts'

/** Returns the manifest of the service (Reconciliation Service API 0.2, section 3). `base` is the URL of the service. */
export const createManifest = (base: string) => ({
  versions: ['0.1', '0.2'],
  name: 'Millrace company registry',
  identifierSpace: `${base}/entities/`,
  schemaSpace: `${base}/types/`,
  defaultTypes: [companyType],
  view: { url: `${base}/preview?id={{id}}` },
  preview: { url: `${base}/preview?id={{id}}`, width: 420, height: 260 },
  suggest: {
    entity: { service_url: base, service_path: '/suggest/entity' },
    property: { service_url: base, service_path: '/suggest/property' },
    type: { service_url: base, service_path: '/suggest/type' },
  },
  extend: { propose_properties: { service_url: base, service_path: '/extend/propose' }, property_settings: [] },
  batchSize: mostQueries,
})
