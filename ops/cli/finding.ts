/** What one check found; a fault says what to do about it. */
export interface Finding {
  check: string
  ok: boolean
  found: string
  todo?: string
}

/** Looks at one thing; what it throws is a fault. */
export interface Check {
  name: string
  todo: string
  look(): Promise<Finding | Finding[]>
}

/** A check that finds all well. */
export const well = (check: string, found: string): Finding => ({ check, ok: true, found })

/** A check that finds a fault. */
export const fault = (check: string, found: string, todo: string): Finding => ({ check, ok: false, found, todo })
