import type { Facts } from '#sql/erp/companies.ts'
import type { Options } from '#sql/erp/imports.ts'
import type { StagedOfficer } from '#sql/erp/officers.ts'
import type { Row } from '../row.ts'

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

/** An officer as a register's file has it. */
export interface OfficerEntry {
  kind: StagedOfficer['kind']
  name: string
  roleCode: string
  role: string
  since: string
  until: string
}

interface About {
  /** The register's name, unless the import says another. */
  register: string
  licence: string | null
  /** A company's page in the register, with `{code}` in place of its code. */
  recordUrl: string | null
  /** Headings, or paths in a record of JSON, without which it is another file. */
  headings: readonly string[]
  /** The names under which the records of a JSON file lie. */
  records: readonly string[]
}

/** How a register's file is read. */
export interface Profile extends About {
  /** What has become of a company that is in the file no more. */
  missing: 'dissolved' | 'unknown'
  /** It knows companies of other registers, to which it adds what only it has: their LEI. */
  adds: boolean
  /** The company of a record; null for what is no company: people who trade under their own name. */
  read(row: Row, options: Pick<Options, 'jurisdiction' | 'statuses'>): Entry | null
}

/** How a file is read that says who acts for companies. */
export interface OfficerProfile extends About {
  jurisdiction: string
  /** The code of a record's company, and who acts for it. */
  read(row: Row): { code: string; officers: readonly OfficerEntry[] }
}
