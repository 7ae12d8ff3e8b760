import { z } from 'zod'
import { port, text } from './values.ts'

/** What the identity area and the pools of identity read. */
export const identity = {
  IDENTITY_CATALOGUE: text
    .optional()
    .describe('JSON file of the products and their requirements; default: `tasks/identity/rules/catalogue.json`'),
  IDENTITY_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 bytes in base64')
    .optional()
    .describe(
      'secret (`whsec_…`) of the webhook by which a verification provider reports; without it the webhook is off',
    ),
  TESSERACT_PATH: text
    .default('tesseract')
    .describe('program that recognises the machine-readable lines of documents; without it they are not read'),
  FACE_PLACES: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('face matches under way in one ingress process; a quarter of them is kept for a second organisation'),
  FACE_IMAGES_HOST: text
    .optional()
    .describe(
      'address from which workers fetch the pictures an ingress holds; default HOST, or the machine’s first address',
    ),
  FACE_IMAGES_PORT: port.default(0).describe('its port; 0 takes a free one'),
}
