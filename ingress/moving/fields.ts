import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import { Instant } from '../http/instant.ts'

const Parts = z.array(imports.Part).min(1).max(5)

export const NewImport = z.strictObject({
  provider: imports.Provider,
  api_key: secret(z.string().trim().min(8).max(500))
    .optional()
    .describe(
      'Your key of the provider. For Mux, the token ID and the token secret with a colon between them. Millrace encrypts the key, and deletes it when the import ends.',
    ),
  parts: Parts.optional().describe('What to import with `api_key`. Default: everything that the provider’s API has.'),
  csv: z
    .string()
    .min(1)
    .max(8 * 1024 * 1024)
    .optional()
    .describe('Text of a CSV file that you exported from the provider, instead of `api_key`. Up to 20,000 rows.'),
  part: imports.Part.optional().describe('What the CSV file contains. Required with `csv`.'),
  templates: z
    .array(z.looseObject({}))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Templates in the JSON form of the provider’s API, instead of `api_key`'),
  app_id: Id.optional().describe('Push app that receives the devices. Required for OneSignal.'),
  dry_run: z
    .boolean()
    .default(true)
    .describe(
      'If true, the import is only checked. `POST /v1/moving/imports/{id}/apply` then writes it. Default: true.',
    ),
})

export const Import = z
  .object({
    id: Id,
    provider: imports.Provider,
    source: z.enum(['api', 'file']),
    parts: z.array(imports.Part),
    app_id: Id.nullable(),
    dry_run: z.boolean(),
    status: imports.Status.describe(
      '`reading`: Millrace reads the lists of the provider. `ready`: the import is checked and can be applied. `writing`: Millrace creates the objects.',
    ),
    reason: z.string().nullable().describe('Why the import failed or was cancelled'),
    found: z.int().describe('Number of objects that were read'),
    imported: z.int().describe('Number of objects that were created'),
    existing: z.int().describe('Number of objects that existed before'),
    invalid: z.int().describe('Number of objects that cannot be imported. The rows have the reasons.'),
    created_at: Instant,
    finished_at: Instant.nullable(),
  })
  .meta({ id: 'moving.Import' })

export const present = (row: imports.Import): z.input<typeof Import> => {
  const { org_id: _, key_id: _key, credential: _credential, cursor: _cursor, ...shown } = row
  return shown
}

export const ImportWithParts = Import.extend({
  counts: z
    .array(
      z.object({
        part: imports.Part,
        outcome: rows.Outcome.nullable().describe('`null`: not written yet'),
        rows: z.int(),
        issues: z.int().describe('Number of these rows with issues'),
      }),
    )
    .describe('Number of objects by part and outcome'),
}).meta({ id: 'moving.ImportWithParts' })

export const Row = z
  .object({
    number: z.int(),
    part: imports.Part,
    external_id: z.string().describe('ID of the object at the provider'),
    label: z.string().describe('Name, address or title'),
    outcome: rows.Outcome.nullable().describe('`null` while the object waits'),
    reason: z.string().nullable(),
    issues: z.array(rows.Issue).describe('Tags of a template that cannot be translated, with their field and line'),
    target_id: z.string().nullable().describe('ID of the object in Millrace'),
  })
  .meta({ id: 'moving.Row' })
