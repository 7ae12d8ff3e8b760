import { z } from 'zod'
import { cellName } from '../cell-name.ts'
import { ms, text } from './values.ts'

export const cells = {
  CELL: z
    .union([z.literal(''), cellName])
    .default('')
    .describe('Name of this cell. New keys and tokens contain it. Empty for an installation without cells.'),
  CELLS_FILE: text
    .optional()
    .describe('JSON file with all cells (ops/deploy/CELLS.md), readable only by its owner. Default: no other cells.'),
  CELL_WAITING: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .describe(
      'Maximum number of requests per ingress process that can wait for a response from each other cell. Further requests return 503.',
    ),
  CELL_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .describe(
      'Maximum number of requests per ingress process that are forwarded to each other cell at the same time, including responses in progress and event streams. One network can use up to an eighth.',
    ),
  CELL_TIMEOUT_MS: ms
    .min(100)
    .max(600_000)
    .default(120_000)
    .describe('Timeout in milliseconds for a running cell to start its response'),
}
