import { z } from 'zod'
import { cellName } from '../cell-name.ts'
import { text } from './values.ts'

export const cells = {
  CELL: z
    .union([z.literal(''), cellName])
    .default('')
    .describe('Name of this cell. New keys and tokens contain it. Empty for an installation without cells.'),
  CELLS_FILE: text
    .optional()
    .describe('JSON file with all cells (ops/deploy/CELLS.md), readable only by its owner. Default: no other cells.'),
}
