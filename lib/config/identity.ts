import { z } from 'zod'
import { port, text } from './values.ts'

export const identity = {
  IDENTITY_CATALOGUE: text
    .optional()
    .describe('JSON file with the products and their requirements. Default: `tasks/identity/rules/catalogue.json`.'),
  IDENTITY_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 bytes in base64')
    .optional()
    .describe(
      'Secret (`whsec_…`) of the webhook that receives reports from a verification provider. Without it, the webhook is disabled.',
    ),
  TESSERACT_PATH: text
    .default('tesseract')
    .describe('Executable that reads the machine-readable lines of documents. Without it, the lines are not read.'),
  FACE_PLACES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe(
      'Maximum number of concurrent face matches per ingress process. A quarter of them is reserved for a second organisation.',
    ),
  FACE_IMAGES_HOST: text
    .optional()
    .describe(
      'Host name or IP address from which workers fetch the images of an ingress process. Default: HOST, or the first address of the machine.',
    ),
  FACE_IMAGES_PORT: port.default(0).describe('Port for FACE_IMAGES_HOST. 0 selects a free port.'),
}
