import { z } from 'zod'
import { cellName } from '../cell-name.ts'
import { ms, text } from './values.ts'

/** Of several whole Millraces, which one this is. */
export const cells = {
  CELL: z
    .union([z.literal(''), cellName])
    .default('')
    .describe('name of this cell, which new keys and tokens carry; empty where there is one Millrace alone'),
  CELLS_FILE: text
    .optional()
    .describe('JSON that names every cell (ops/deploy/CELLS.md), readable by its owner alone; default: no other cell'),
  CELL_WAITING: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .describe(
      'requests that an ingress process has waiting for each other cell to begin its answer; more are answered 503',
    ),
  CELL_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .describe(
      'requests that it passes on to each other cell at once, answers in progress and event streams included; an eighth of it for one network',
    ),
  CELL_TIMEOUT_MS: ms
    .min(100)
    .max(600_000)
    .default(120_000)
    .describe('time another cell that lives has to begin its answer'),
}
