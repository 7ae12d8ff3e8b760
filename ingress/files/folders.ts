import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import * as rows from '#sql/files/folders.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Folder, maxFolderLength } from './fields.ts'
import { getOwner, Name, tenant_id } from './owner.ts'

/** Maximum number of objects that one request moves. */
const maxMoved = 5_000

const tooMany = problem(
  409,
  'too_many_objects',
  `The folder has more than ${maxMoved} objects. Move its subfolders one by one.`,
)

const Entry = z
  .object({
    folder: z.string().describe('Path of the folder. Use it as `folder` or `parent`.'),
    name: z.string().describe('Last part of the path'),
  })
  .meta({ id: 'files.Folder' })

export const list = orderedListRoute({
  path: '/folders',
  summary: 'List folders',
  description: 'Lists the folders directly in `parent`, by name. A folder exists while it contains objects.',
  scope: 'files:read',
  locks: ['tenant_id'],
  otherParams: ['tenant_id', 'parent'],
  query: {
    tenant_id: Name.optional(),
    parent: Folder.default('').describe('Folder that contains the folders. Default: the top level.'),
  },
  item: Entry,
  problems: ['not_found'],
  key: z.string(),
  keyOf: ({ folder }) => folder,
  rows: ({ query: { tenant_id, parent }, org, key, db }, { before, limit }) =>
    rows.list(db, getOwner({ org, key }, tenant_id), { parent, after: before, limit }),
  present: ({ folder }) => ({ folder, name: folder.slice(folder.lastIndexOf('/') + 1) }),
})

const Move = z
  .strictObject({
    from: Folder.min(1, 'must not be empty').describe('Folder to move or rename'),
    to: Folder.describe('New path of the folder. Empty: its objects move out of all folders.'),
    tenant_id,
  })
  .refine(({ from, to }) => from === '' || (to !== from && !to.startsWith(`${from}/`)), {
    path: ['to'],
    error: 'must be outside of the folder `from`',
  })

export const move = route({
  method: 'POST',
  path: '/folders/move',
  summary: 'Move or rename a folder',
  description: `Moves all objects of a folder and its subfolders, up to ${maxMoved}. Objects that are in \`to\` stay there.`,
  scope: 'files:write',
  locks: ['tenant_id'],
  body: Move,
  status: 200,
  reply: z.object({ from: z.string(), to: z.string(), moved: z.int().describe('Number of moved objects') }),
  problems: ['not_found', tooMany],
  example: { body: { from: 'invoices/2026', to: 'archive/invoices-2026' } },
  async handle({ body: { from, to, tenant_id }, org, key, db }) {
    const owner = getOwner({ org, key }, tenant_id)
    const moved = await db.transaction(async (tx) => {
      const longest = await rows.findLongest(tx, owner, from)
      if (longest - [...from].length + [...to].length > maxFolderLength)
        throw badRequest([{ field: 'body.to', issue: `must leave each path at most ${maxFolderLength} characters` }])
      return await rows.move(tx, owner, { from, to, limit: maxMoved })
    })
    if (moved === null) throw tooMany(tooMany.when)
    return { from, to, moved }
  },
})
