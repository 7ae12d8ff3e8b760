import { area } from '../http/area.ts'
import * as deletePages from './dashboard/delete-files.ts'
import * as deliveryPages from './dashboard/delivery.ts'
import * as filePages from './dashboard/file.ts'
import * as imagePages from './dashboard/file-image.ts'
import * as filesPages from './dashboard/files.ts'
import { finders } from './dashboard/finders.ts'
import * as presetPages from './dashboard/image-presets.ts'
import { deliveryCounter } from './delivery/delivered.ts'
import { transfers } from './delivery/transfers.ts'
import * as delivery from './delivery.ts'
import * as health from './health.ts'
import * as heldBack from './held-back.ts'
import * as imagePresets from './image-presets.ts'
import * as imageSettings from './image-settings.ts'
import { imageRules } from './images/rules.ts'
import { imageVariants } from './images/variants.ts'
import * as images from './images.ts'
import * as objects from './objects.ts'
import * as previews from './previews.ts'
import * as rescans from './rescans.ts'
import { scannerNotice } from './scanner-notice.ts'
import * as signedUrls from './signed-urls.ts'
import * as uploads from './uploads.ts'
import * as versions from './versions.ts'

/**
 * File uploads behind a malware scan. Terms:
 *
 * - object: the file uploaded under one `object_id`
 * - version: bytes that replace those of an object when they are clean; a version is also an object
 * - scan: one examination of an object's bytes; all scans are kept
 * - verdict: the result of the latest scan, with the versions of engine, signatures and heuristics
 */
export const files = area({
  name: 'files',
  title: 'Files',
  description: 'File uploads with a malware scan. Only clean objects can be downloaded.',
  base: '/v1/files',
  platform: true,
  services: [deliveryCounter, transfers, imageRules, imageVariants],
  pages: { delivery },
  routes: {
    health,
    uploads,
    objects,
    versions,
    signedUrls,
    previews,
    images,
    imagePresets,
    imageSettings,
    rescans,
  },
  console: {
    sections: [heldBack.blockedFilesSection],
    pages: { heldBack },
    regions: { scanner: scannerNotice },
  },
  dashboard: {
    finders,
    sections: [filesPages.section, presetPages.section],
    pages: { filesPages, deletePages, filePages, deliveryPages, imagePages, presetPages },
    regions: { file: filePages.fileRegion, files: filesPages.filesRegion },
  },
})
