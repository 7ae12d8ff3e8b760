import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { newId } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as controls from '#sql/jobs/controls.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { importCompanies } from '../import.ts'
import { importFiles } from './import-files.ts'
import { type ProfileName, profiles } from './profiles/index.ts'

export interface NewImport {
  path: string
  profile: ProfileName
  register: string | undefined
  options: imports.Options
  actor: string
}

export async function startImport(
  db: DatabasePool,
  storage: Storage,
  { path, profile, register = profiles[profile].register, options, actor }: NewImport,
): Promise<string> {
  const id = newId()
  const object_key = `${importFiles}${id}`
  const { size } = await stat(path)
  await storage.upload(path, object_key, { contentType: 'application/octet-stream' })
  await db.transaction(async (tx) => {
    const file = { object_key, bytes: size, file_name: toStorableText(basename(path), 200) }
    await imports.insert(tx, { id, profile, register, options, ...file, actor })
    await controls.recordAction(tx, { actor, action: 'import', target: `register ${register}`, count: 1 })
    await imports.recordRun(tx, id, await enqueue(tx, importCompanies, { importId: id }, { subject: id }))
  })
  return id
}
