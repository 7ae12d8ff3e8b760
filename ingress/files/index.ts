import { area } from '../http/area.ts'
import * as filePages from './dashboard/file.ts'
import * as filesPages from './dashboard/files.ts'
import * as health from './health.ts'
import * as heldBack from './held-back.ts'
import * as objects from './objects.ts'
import * as previews from './previews.ts'
import * as rescans from './rescans.ts'
import { scannerNotice } from './scanner-notice.ts'
import * as uploads from './uploads.ts'
import * as versions from './versions.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/**
 * Uploads behind a malware gate. Words used here:
 *   object   what was uploaded under one `object_id`
 *   version  bytes that replace an object's once they are clean: an object of its own, too
 *   scan     one examination of an object's bytes; all are kept
 *   verdict  what the latest ended scan found, and with what
 */
export const files = area({
  name: 'files',
  title: 'Files',
  description: 'File uploads with a malware scan. Only clean objects can be downloaded.',
  base: '/v1/files',
  platform: true,
  routes: { health, uploads, objects, versions, previews, webhooks, webhookDeliveries, rescans },
  console: {
    sections: [heldBack.heldBack],
    pages: { heldBack },
    regions: { scanner: scannerNotice },
  },
  dashboard: {
    sections: [filesPages.section],
    pages: { filesPages, filePages },
    regions: { file: filePages.fileRegion },
  },
})
