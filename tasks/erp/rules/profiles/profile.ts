import type { Facts } from '#sql/erp/companies.ts'
import type { Row } from '../read-csv.ts'

/** A company as a register's file has it: texts that are yet to be checked; empty ones say nothing. */
export interface Entry {
  jurisdiction: string
  code: string
  name: string
  previousNames?: readonly string[]
  status: Facts['status']
  statusRaw?: string
  legalForm?: { code?: string; name?: string; elf?: string }
  vatNumber?: string
  lei?: string
  registeredAt?: string
  dissolvedAt?: string
  address?: Partial<Record<'street' | 'city' | 'region' | 'postalCode' | 'country', string>>
  capital?: { amount: string; currency: string }
  activities?: Facts['activities']
  website?: string
}

/** How a register's file is read. */
export interface Profile {
  /** The register's name, unless the import says another. */
  register: string
  licence: string | null
  /** A company's page in the register, with `{code}` in place of its code. */
  recordUrl: string | null
  /** Headings without which it is another file. */
  headings: readonly string[]
  /** What has become of a company that is in the file no more. */
  missing: 'dissolved' | 'unknown'
  /** It knows companies of other registers, to which it adds what only it has: their LEI. */
  adds: boolean
  /** The company of a record; null for what is no company: people who trade under their own name. */
  read(row: Row, jurisdiction: string | undefined): Entry | null
}
