import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind } from './kind.ts'

const FileObject = z.strictObject({
  object_id: Id,
  product_key: z.string(),
  tenant_id: z.string().nullable(),
  filename: z.string(),
  content_type: z.string(),
  byte_size: z.number(),
  sha256: z.string(),
  version_of: Id.nullable().describe('Object of which this is a later version'),
  version: z.int(),
  scan_status: z.enum(['clean', 'infected']),
  reasons: z.array(z.unknown()).describe('Findings, with their scanner'),
  released: z.boolean().describe('True if an operator released the file despite the findings'),
})

const object: z.input<typeof FileObject> = {
  object_id: createSampleId(30),
  product_key: 'shop',
  tenant_id: null,
  filename: 'invoice.pdf',
  content_type: 'application/pdf',
  byte_size: 48_211,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  version_of: null,
  version: 1,
  scan_status: 'clean',
  reasons: [],
  released: false,
}

export const files = {
  'files.object.clean': kind('A file has passed the malware scan.', FileObject, object),
  'files.object.infected': kind('A file was quarantined because it contains malware.', FileObject, {
    ...object,
    scan_status: 'infected',
    reasons: [{ scanner: 'clamav', verdict: 'Eicar-Test-Signature' }],
  }),
}
