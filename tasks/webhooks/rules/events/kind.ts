import { z } from 'zod'

/** What is told by events of one type. */
export interface EventKind<Data extends z.ZodObject = z.ZodObject> {
  /** When it is told, in a sentence. */
  summary: string
  /** What an event's `data` is: every field, and no other. */
  data: Data
  /** What it may look like: documents show it, and an endpoint can be sent it as a test. */
  sample: z.input<Data>
}

/** Declares a type of events; its sample is checked against the schema by the compiler. */
export const kind = <Data extends z.ZodObject>(
  summary: string,
  data: Data,
  sample: z.input<NoInfer<Data>>,
): EventKind<Data> => ({ summary, data, sample })

/** An instant as JSON has it. */
export const Time = z.iso.datetime()

/** The day on which samples happen. */
export const sampleTime = '2026-01-01T12:00:00.000Z'

/** An id for samples; those that end alike are the same thing's. */
export const sampleId = (end: number): string => `0198f1c2-7f00-7000-8000-${String(end).padStart(12, '0')}`
