import { area } from '../http/area.ts'
import * as claims from './claims.ts'
import * as entities from './entities.ts'
import * as snapshots from './snapshots.ts'
import * as sources from './sources.ts'

/** Evidence-first articles. */
export const wiki = area({
  name: 'wiki',
  title: 'Wiki',
  description: 'Articles whose claims are proven by snapshots of their sources.',
  base: '/v1/wiki',
  platform: true,
  routes: {
    sources: { create: sources.create, list: sources.list, read: sources.read },
    snapshots: {
      create: snapshots.create,
      list: snapshots.list,
      read: snapshots.read,
      text: snapshots.text,
      downloadUrl: snapshots.downloadUrl,
    },
    entities: { create: entities.create, list: entities.list, read: entities.read, update: entities.update },
    claims: {
      create: claims.create,
      list: claims.list,
      read: claims.read,
      update: claims.update,
      addReference: claims.addReference,
    },
  },
})
