import { z } from 'zod'

export interface EventKind<Data extends z.ZodObject = z.ZodObject> {
  summary: string
  data: Data
  sample: z.input<Data>
}

/** Declares an event type. The compiler checks the sample against the schema. */
export const kind = <Data extends z.ZodObject>(
  summary: string,
  data: Data,
  sample: z.input<NoInfer<Data>>,
): EventKind<Data> => ({ summary, data, sample })

export const Time = z.iso.datetime()

export const sampleTime = '2026-01-01T12:00:00.000Z'

/** IDs with the same end belong to the same object. */
export const createSampleId = (end: number): string => `0198f1c2-7f00-7000-8000-${String(end).padStart(12, '0')}`
