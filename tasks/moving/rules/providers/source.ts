import type { z } from 'zod'
import type { Part } from '#sql/moving/imports.ts'
import type { GivenTemplate } from '../templates/prepare-template.ts'
import type { ProviderClient } from './client.ts'

export interface GivenSuppression {
  email: string
  reason: 'bounce' | 'complaint' | 'manual'
  detail: string | null
  created_at: string | null
}

export interface GivenContact {
  email: string
  name: string | null
  attributes: Record<string, string | number | boolean>
  tags: string[]
  is_unsubscribed: boolean
}

export interface GivenAsset {
  id: string
  title: string | null
  passthrough: string | null
  playback_id: string | null
  is_public: boolean
  file: string | null
  captions: { id: string; language: string; name: string | null }[]
}

/** What a list of a provider contains. */
export type Given =
  | { part: 'templates'; id: string; label: string; item: GivenTemplate }
  | { part: 'suppressions'; id: string; label: string; item: GivenSuppression }
  | { part: 'contacts'; id: string; label: string; item: GivenContact }
  | { part: 'assets'; id: string; label: string; item: GivenAsset }

export interface GivenPage {
  given: Given[]
  /** Position of the next page. Null after the last page. */
  next: string | null
}

/** A list of a provider. */
export interface Source {
  part: Part
  read(client: ProviderClient, at: string | null): Promise<GivenPage>
}

/** Returns a time in seconds or as a text in the form of ISO 8601. Null if it is neither. */
export function instantOf(given: string | number | null | undefined): string | null {
  if (given === null || given === undefined || given === '') return null
  const at =
    typeof given === 'number' ? given * 1_000 : /^\d{9,11}$/.test(given) ? Number(given) * 1_000 : Date.parse(given)
  const isUsable = Number.isFinite(at) && at > 0 && at <= Date.now()
  return isUsable ? new Date(at).toISOString() : null
}

/** Reads an object in the form of the provider’s API. Returns what is wrong with it as a text. */
export function readAs<S extends z.ZodType>(
  schema: S,
  given: unknown,
  read: (found: z.output<S>) => Given,
): Given | string {
  const found = schema.safeParse(given)
  if (found.success) return read(found.data)
  const [issue] = found.error.issues
  return `${issue?.path.join('.') || 'the template'}: ${issue?.message}`
}
