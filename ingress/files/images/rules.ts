import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import * as presets from '#sql/files/images/presets.ts'
import * as settings from '#sql/files/images/settings.ts'
import { Transformation } from '#tasks/files/rules/images/recipe.ts'
import { service } from '../../http/container.ts'

/** Time in milliseconds for which a process uses the rules of an organisation. Changes apply afterwards. */
const rememberedMs = 2_000

/** Which transformations an organisation allows. */
export interface ImageRules {
  isOnlyPresets(orgId: string): Promise<boolean>
  /** Returns `null` if the preset does not exist. */
  findPreset(orgId: string, name: string): Promise<Transformation | null>
}

export const imageRules = service<ImageRules>({ name: 'files.image-rules', open: ({ db }) => createImageRules(db) })

function createImageRules(db: DatabasePool): ImageRules {
  const only = new LRUCache<string, boolean, undefined>({
    max: 20_000,
    ttl: rememberedMs,
    fetchMethod: async (orgId) => (await settings.read(db, orgId)).only_presets,
  })
  const named = new LRUCache<string, { found: Transformation | null }, undefined>({
    max: 20_000,
    ttl: rememberedMs,
    fetchMethod: async (key) => ({ found: await readPreset(db, key) }),
  })
  return {
    isOnlyPresets: async (orgId) => (await only.fetch(orgId)) ?? false,
    findPreset: async (orgId, name) => (await named.fetch(`${orgId} ${name}`))?.found ?? null,
  }
}

async function readPreset(db: DatabasePool, key: string): Promise<Transformation | null> {
  const [orgId = '', name = ''] = key.split(' ')
  const preset = await presets.find(db, orgId, name)
  return preset && Transformation.parse(preset)
}
