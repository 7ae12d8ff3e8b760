import type { EngineResult } from '#tasks/ai/engine.ts'
import { estimatedUsage } from '../token-usage.ts'

export const worked = (read: readonly string[], written: string): EngineResult => ({
  engine: 'embedded',
  model: 'embedded-lexical-1',
  usage: estimatedUsage(read, written),
})
